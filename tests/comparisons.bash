# What the report of a comparison says.

# verdict NAME [COMMAND]; change NAME: of the second command, as a fraction
verdict() {
	awk -F, -v name="$1" -v command="${2:-2}" '$1 == "difference" && $7 == name && $4 == command { print $21 }' "$report"
}

change() {
	awk -F, -v name="$1" '$1 == "change" && $7 == name && $4 == 2 { print $10 }' "$report"
}
