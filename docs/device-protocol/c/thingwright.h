/*
 * A device of Thingwright in plain C99: MQTT 3.1.1 over BSD sockets, no allocation, nothing to install.
 * For Linux boards and for everything with lwIP sockets (ESP32 with ESP-IDF or Arduino). One device, one thread.
 */
#ifndef THINGWRIGHT_H
#define THINGWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest packet in either direction; set it from the compiler's command line. */
#ifndef TW_BUFFER
#define TW_BUFFER 2048
#endif
/* How long an answer of the platform may take, milliseconds. */
#ifndef TW_TIMEOUT_MS
#define TW_TIMEOUT_MS 30000
#endif
#define TW_KEEP_ALIVE_S 60
#define TW_REMEMBERED 8

enum {
  TW_OK = 0,
  TW_LOST = -1,      /* no connection, or it broke: close, wait, connect again */
  TW_REFUSED = -2,   /* product key, number or secret: wait half a minute before the next try */
  TW_TOO_LARGE = -3, /* does not fit into TW_BUFFER */
  TW_TIMEOUT = -4,   /* no answer in time: close and connect again */
  TW_BROKEN = -5     /* the other side does not speak MQTT */
};

/*
 * A command. `name` is "property/set" or "service/NAME/invoke", `params` its JSON object.
 * Returns 0 when it was carried out, any other number when it was refused. `data` may take a JSON object for the answer.
 * A command that comes twice (the answer was lost) is answered twice and carried out once.
 */
typedef int (*tw_command)(void *context, const char *name, const char *params, char *data, size_t data_size);

typedef struct {
  int socket;
  uint16_t packet_id;
  uint64_t sent_at;
  char prefix[160]; /* things/PRODUCT/DEVICE/ */
  size_t prefix_length;
  tw_command command;
  void *context;
  struct {
    char id[40];
    int code;
  } done[TW_REMEMBERED];
  unsigned done_next;
  unsigned char in[TW_BUFFER + 1];
  unsigned char out[TW_BUFFER];
} tw_device;

/* Connects, signs in and subscribes to commands. `port` as text, "1883". */
int tw_connect(tw_device *device, const char *host, const char *port, const char *product_key, const char *device_no,
               const char *device_secret, tw_command command, void *context);

/* {"temperature":21.5}, or {"ts":1767225600000,"values":{...}}, or an array of either. TW_OK: it is on disk. */
int tw_post(tw_device *device, const char *json);

/* {"params":{...}} or {"ts":...,"params":{...}} */
int tw_event(tw_device *device, const char *identifier, const char *json);

/* Waits for commands for so long, answers them, keeps the connection alive. Call it often, it is also the pause. */
int tw_loop(tw_device *device, int milliseconds);

void tw_close(tw_device *device);

#ifdef __cplusplus
}
#endif
#endif
