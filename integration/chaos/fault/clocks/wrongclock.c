/* Preloaded into redis-server: the time of day is wrong by as many ms as the file says
 * that DUEQUEUE_TEST_WRONG_CLOCK names (8 bytes, this machine's order, read at each call).
 * It asks the kernel directly: what looks up the C library's own functions first, as
 * libfaketime does, never returns where malloc is jemalloc, which asks for the time
 * before it can serve. Other clocks, the monotonic one too, stay true. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t *skew;

__attribute__((constructor)) static void open_skew(void) {
  const char *name = getenv("DUEQUEUE_TEST_WRONG_CLOCK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof *skew, PROT_READ, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) skew = at;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (failed || !skew || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t ms = __atomic_load_n(skew, __ATOMIC_RELAXED);
  now->tv_sec += ms / 1000;
  now->tv_nsec += ms % 1000 * 1000000;
  if (now->tv_nsec < 0) now->tv_sec--, now->tv_nsec += 1000000000;
  if (now->tv_nsec >= 1000000000) now->tv_sec++, now->tv_nsec -= 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec t;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &t)) return -1;
  now->tv_sec = t.tv_sec;
  now->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec t;
  if (clock_gettime(CLOCK_REALTIME, &t)) return -1;
  if (now) *now = t.tv_sec;
  return t.tv_sec;
}
