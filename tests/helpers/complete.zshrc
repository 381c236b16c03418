# What an interactive zsh reads for complete.py, as .zshrc. Control-T tells the line, and empties it.
PS1='READY> '
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
# what it finds is the same each time
[[ -e $ZDOTDIR/dump ]] && compinit -C -d $ZDOTDIR/dump || compinit -u -d $ZDOTDIR/dump
LISTMAX=100000 # no question whether so many are to be listed
setopt no_beep no_list_beep no_auto_menu no_auto_remove_slash
press() { zle complete-word; zle -R }
tell() { print -n "\1"; print -rn -- $LBUFFER; print -n "\2"; BUFFER= }
zle -N press
zle -N tell
bindkey '^I' press '^T' tell
