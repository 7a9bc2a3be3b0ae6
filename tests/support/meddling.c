/* Loaded into a daemon before the C library (LD_PRELOAD), by support/meddling.py.

   After each sync of a file in $MEDDLING_WATCHED it copies that file to $MEDDLING_SYNCED: what a disk is sure to
   have when the power fails. And it adds to the clocks what $MEDDLING_CLOCKS says, two numbers of 64 bits in
   milliseconds: to the time of day, and to the time since the boot. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *clocks;

__attribute__((constructor)) static void open_clocks(void) {
    const char *path = getenv("MEDDLING_CLOCKS");
    int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return;
    void *mapped = mmap(NULL, 2 * sizeof *clocks, PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped != MAP_FAILED)
        clocks = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (failed || !clocks || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME))
        return failed;
    int64_t added = clocks[clock == CLOCK_BOOTTIME];
    int64_t nanoseconds = now->tv_nsec + added % 1000 * 1000000;
    now->tv_sec += added / 1000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
    now->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
    return 0;
}

static void copy(int source, const char *target) {
    char partial[PATH_MAX + 8], block[65536];
    snprintf(partial, sizeof partial, "%s.partial", target);
    int copied = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t offset = 0;
    ssize_t got;
    while ((got = pread(source, block, sizeof block, offset)) > 0) {
        if (write(copied, block, (size_t)got) != got)
            abort();
        offset += got;
    }
    close(copied);
    rename(partial, target);
}

static int synced(int descriptor, int failed) {
    const char *watched = getenv("MEDDLING_WATCHED"), *kept = getenv("MEDDLING_SYNCED");
    char link[64], path[PATH_MAX], target[PATH_MAX];
    if (failed || !watched || !kept)
        return failed;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return failed;
    path[length] = 0;
    char *name = strrchr(path, '/');
    if (name && (size_t)(name - path) == strlen(watched) && !strncmp(path, watched, strlen(watched))) {
        snprintf(target, sizeof target, "%s%s", kept, name);
        copy(descriptor, target); /* another one, closed, would take SQLite's locks along */
    }
    return failed;
}

int fdatasync(int descriptor) {
    return synced(descriptor, (int)syscall(SYS_fdatasync, descriptor));
}

int fsync(int descriptor) {
    return synced(descriptor, (int)syscall(SYS_fsync, descriptor));
}
