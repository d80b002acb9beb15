/*
 * Posts a temperature every ten seconds and obeys a switch called `pump`.
 *
 *   gcc -std=c99 -O2 -o device example.c thingwright.c
 *   DEVICE_SECRET=... ./device 127.0.0.1 1883 PRODUCT DEVICE
 */
#define _POSIX_C_SOURCE 200112L
#include "thingwright.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int pump = 0;
static int changed = 0;

static int on_command(void *context, const char *name, const char *params, char *data, size_t data_size) {
  (void)context;
  printf("%s %s\n", name, params);
  fflush(stdout);
  if (strcmp(name, "property/set") == 0) {
    /* A product knows its own properties; here a look at the text is enough. */
    if (strstr(params, "\"pump\":true")) pump = 1;
    else if (strstr(params, "\"pump\":false")) pump = 0;
    else return 2; /* refused */
    changed = 1;   /* reported below: that is how the platform knows that it happened */
    return 0;
  }
  if (strcmp(name, "service/flush/invoke") == 0) {
    snprintf(data, data_size, "{\"litres\":%d}", 12);
    return 0;
  }
  return 1;
}

static void pause_ms(unsigned milliseconds) {
  struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000L};
  nanosleep(&time, NULL);
}

int main(int count, char **words) {
  const char *secret = getenv("DEVICE_SECRET");
  if (count < 5 || !secret) {
    fprintf(stderr, "DEVICE_SECRET=... %s HOST PORT PRODUCT DEVICE [POSTS]\n", words[0]);
    return 2;
  }
  /* So many posts, then the end; without a number for ever. */
  long left = count > 5 ? atol(words[5]) : -1;
  static tw_device device; /* too large for the stack of a small board */
  unsigned wait = 500;
  srand((unsigned)time(NULL));
  while (left != 0) {
    int result = tw_connect(&device, words[1], words[2], words[3], words[4], secret, on_command, NULL);
    if (result == TW_OK) wait = 500;
    while (result == TW_OK && left != 0) {
      char json[96];
      snprintf(json, sizeof json, "{\"temperature\":%.1f,\"pump\":%s}", 20 + (rand() % 50) / 10.0,
               pump ? "true" : "false");
      result = tw_post(&device, json);
      if (result != TW_OK) break;
      printf("posted %s\n", json);
      fflush(stdout);
      if (left > 0) left--;
      changed = 0;
      /* Ten seconds, cut short by a command that changed something. */
      for (int part = 0; part < 100 && result == TW_OK && !changed && left != 0; part++) result = tw_loop(&device, 100);
    }
    tw_close(&device);
    if (left == 0) break;
    fprintf(stderr, "not connected (%d)\n", result);
    /* Thousands of devices lose a server at the same moment: growing pauses, each device its own. */
    if (result == TW_REFUSED) wait = 30000;
    pause_ms(wait / 2 + (unsigned)rand() % (wait / 2 + 1));
    if (wait < 60000) wait *= 2;
  }
  return 0;
}
