# The .zshrc of an interactive zsh for complete.py. Control-T prints the line, and empties it.
PS1='READY> '
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
# the results are the same each time
[[ -e $ZDOTDIR/dump ]] && compinit -C -d $ZDOTDIR/dump || compinit -u -d $ZDOTDIR/dump
LISTMAX=100000 # no question before a long list
setopt no_beep no_list_beep no_auto_menu no_auto_remove_slash
press() { zle complete-word; zle -R }
tell() { print -n "\1"; print -rn -- $LBUFFER; print -n "\2"; BUFFER= }
zle -N press
zle -N tell
bindkey '^I' press '^T' tell
