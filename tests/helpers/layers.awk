# Checks every #include "…" of the sources against layers.txt: awk -f layers.awk layers.txt src/*.[ch]
# What breaks the order is printed, and the exit status is 1.

function module(path) {
	sub(/.*\//, "", path)
	sub(/\.[ch]$/, "", path)
	return path
}

function complain(text) {
	print text
	bad = 1
}

FNR == NR {
	if ($0 !~ /^#/)
		for (i = 1; i <= NF; i++)
			layer[$i] = FNR
	next
}

FNR == 1 {
	own = module(FILENAME)
	if (!(own in layer))
		complain(FILENAME ": the module is not in layers.txt")
}

/^[ \t]*#[ \t]*include[ \t]+"/ {
	split($0, part, "\"")
	other = module(part[2])
	if (!(other in layer))
		complain(FILENAME ":" FNR ": " other " is not in layers.txt")
	else if (layer[other] > layer[own])
		complain(FILENAME ":" FNR ": " own " includes " part[2] ", which is to its right")
}

END { exit bad }
