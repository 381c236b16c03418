# field.awk NAME=… KIND=… COLUMN=… in the environment; a report of --csv: that column of the first row of that name and kind.
# In awk, which starts quickly: the tests call this thousands of times.

# Splits a record; RFC 4180.
function cells_of(record, cells,   n, i, cell) {
	for (;;) {
		if (substr(record, 1, 1) == "\"") {
			record = substr(record, 2)
			cell = ""
			while ((i = index(record, "\"")) && substr(record, i + 1, 1) == "\"") {
				cell = cell substr(record, 1, i)
				record = substr(record, i + 2)
			}
			cell = cell substr(record, 1, i - 1)
			record = substr(record, i + 1)
		} else {
			i = index(record, ",")
			cell = i ? substr(record, 1, i - 1) : record
			record = i ? substr(record, i) : ""
		}
		cells[++n] = cell
		if (record == "")
			return n
		record = substr(record, 2)
	}
}

{
	sub(/\r$/, "")
	record = open ? record "\n" $0 : $0
	open = gsub(/"/, "\"", record) % 2
	if (open)
		next
	n = cells_of(record, cells)
	if (!header) {
		for (i = 1; i <= n; i++)
			at[cells[i]] = i
		header = 1
		if (!at[ENVIRON["COLUMN"]])
			exit
	} else if (cells[at["name"]] == ENVIRON["NAME"] && cells[at["kind"]] == ENVIRON["KIND"]) {
		found = 1
		print cells[at[ENVIRON["COLUMN"]]]
		exit
	}
}

END {
	if (!found)
		print "no " ENVIRON["KIND"] " row " ENVIRON["NAME"] ", or no column " ENVIRON["COLUMN"] ", in " FILENAME >"/dev/stderr"
	exit !found
}
