/* Loaded before the C library (LD_PRELOAD): lets one chosen system call fail, as a disk would.
 * Nothing happens until `arm_fault` is called. Then, of the calls of the kinds named that concern a
 * file under a folder, number `at` fails once with `error` (or every one, if `at` is 0; the error -1
 * stands for a write of half the bytes, -2 for a process that is killed before the call), and what it
 * was is written to the file `told`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHORT = -1, KILLED = -2 };
static char folder[4096], told[4096], kinds[256];
static int at, error = 0;
static atomic_int calls;
static atomic_int armed;

void arm_fault(const char* under, const char* which, int number, int errno_or_short, const char* to) {
    snprintf(folder, sizeof folder, "%s", under);
    snprintf(kinds, sizeof kinds, " %s ", which);
    snprintf(told, sizeof told, "%s", to);
    at = number;
    error = errno_or_short;
    calls = 0;
    armed = 1;
}

static void tell(const char* kind, const char* path) {
    char line[8400];
    const int n = snprintf(line, sizeof line, "%s %s\n", kind, path);
    int (*really_open)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
    ssize_t (*really_write)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
    const int fd = really_open(told, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0) return;
    if (really_write(fd, line, (size_t)n) < 0) { /* then nobody is told */ }
    close(fd);
}

/* Whether this call is the one. */
static int fails(const char* kind, const char* name) {
    char path[8200] = "";
    if (!armed) return 0;
    if (name[0] != '/' && getcwd(path, sizeof path / 2)) strcat(path, "/");
    strncat(path, name, sizeof path / 2 - 2);
    if (strncmp(path, folder, strlen(folder)) != 0) return 0;
    char word[64];
    snprintf(word, sizeof word, " %s ", kind);
    if (!strstr(kinds, word)) return 0;
    if (at != 0 && atomic_fetch_add(&calls, 1) + 1 != at) return 0;
    tell(kind, path);
    if (error == KILLED) kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

static int fails_on(const char* kind, int fd) {
    char link[64], path[4096];
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return fails(kind, path);
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

#define OPENING(name)                                        \
    int name(const char* path, int flags, ...) {             \
        va_list list;                                        \
        va_start(list, flags);                               \
        const mode_t mode = va_arg(list, mode_t);            \
        va_end(list);                                        \
        return fails("open", path) ? -1 : REAL(name, path, flags, mode); \
    }
OPENING(open)
OPENING(open64)

ssize_t write(int fd, const void* bytes, size_t n) {
    if (fails_on("write", fd)) {
        if (error != SHORT) return -1;
        n = n > 1 ? n / 2 : n;
    }
    return REAL(write, fd, bytes, n);
}
ssize_t read(int fd, void* bytes, size_t n) {
    if (fails_on("read", fd)) {
        if (error != SHORT) return -1;
        n = n > 1 ? n / 2 : n;
    }
    return REAL(read, fd, bytes, n);
}
int fsync(int fd) { return fails_on("fsync", fd) ? -1 : REAL(fsync, fd); }
int fdatasync(int fd) { return fails_on("fsync", fd) ? -1 : REAL(fdatasync, fd); }
int fchmod(int fd, mode_t mode) { return fails_on("fchmod", fd) ? -1 : REAL(fchmod, fd, mode); }
int flock(int fd, int how) { return fails_on("flock", fd) ? -1 : REAL(flock, fd, how); }
int close(int fd) {
    const int bad = fails_on("close", fd);
    const int result = REAL(close, fd);  /* it is closed in any case, as Linux does */
    if (!bad) return result;
    errno = error;
    return -1;
}
int ftruncate64(int fd, off64_t size) {
    return fails_on("truncate", fd) ? -1 : REAL(ftruncate64, fd, size);
}
int rename(const char* from, const char* to) {
    return fails("rename", to) ? -1 : REAL(rename, from, to);
}
int unlink(const char* path) { return fails("unlink", path) ? -1 : REAL(unlink, path); }
