# From the lines "#@ kind groups truth value error" a table: how many truths are inside their interval, the mean half-
# width and the mean real error in per cent, and the ratio of the two.
$1 == "#@" {
	sub(/\r$/, "")
	cell = $2 " " $3
	if (!(cell in n)) order[++cells] = cell
	n[cell]++
	error = $5 / $4 - 1
	if (error < 0) error = -error
	real[cell] += error
	if ($6 == "-") { unknown[cell]++; next }
	width[cell] += $6 / $4
	known_real[cell] += error
	inside[cell] += error * $4 <= $6
}
END {
	printf "%-8s %6s %9s %8s %11s %10s %6s\n", "rate", "groups", "estimates", "inside", "half-width", "real error", "ratio"
	for (i = 1; i <= cells; i++) {
		cell = order[i]
		known = n[cell] - unknown[cell]
		split(cell, part, " ")
		printf "%-8s %6d %9d %7.1f%% %10.2f%% %9.2f%% %6.1f%s\n", part[1], part[2], n[cell],
			known ? 100 * inside[cell] / known : 0, known ? 100 * width[cell] / known : 0, 100 * real[cell] / n[cell],
			known_real[cell] ? width[cell] / known_real[cell] : 0, unknown[cell] ? "  unknown: " unknown[cell] : ""
		all += known; in_all += inside[cell]
	}
	printf "inside: %.1f%% of %d\n", all ? 100 * in_all / all : 0, all
	exit all == 0
}
