/* A job of MPI that is out of balance: rank 2 touches 5000 pages of its own, the others 1000; then all wait for it. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memory = aligned_alloc(page, 5000 * page);
	for (size_t i = 0; memory && i < (rank == 2 ? 5000 : 1000); i++)
		memory[i * page] = 1;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return memory == NULL;
}
