#define _POSIX_C_SOURCE 200112L
#include "thingwright.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { CONNECT = 0x10, CONNACK = 0x20, PUBLISH = 0x30, PUBACK = 0x40, SUBSCRIBE = 0x82, SUBACK = 0x90, PINGREQ = 0xC0 };

static uint64_t now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000u + (uint64_t)at.tv_nsec / 1000000u;
}

/* ---- bytes ---- */

/* 1: readable, 0: nothing came in time, below 0: broken. */
static int wait_readable(int socket, int milliseconds) {
  fd_set set;
  struct timeval time;
  FD_ZERO(&set);
  FD_SET(socket, &set);
  time.tv_sec = milliseconds / 1000;
  time.tv_usec = (milliseconds % 1000) * 1000;
  return select(socket + 1, &set, NULL, NULL, &time);
}

static int read_all(tw_device *device, unsigned char *into, size_t length, uint64_t until) {
  while (length > 0) {
    uint64_t now = now_ms();
    if (now >= until) return TW_TIMEOUT;
    int ready = wait_readable(device->socket, (int)(until - now));
    if (ready < 0) return TW_LOST;
    if (ready == 0) return TW_TIMEOUT;
    ssize_t got = recv(device->socket, into, length, 0);
    if (got <= 0) return TW_LOST;
    into += got;
    length -= (size_t)got;
  }
  return TW_OK;
}

static int write_all(tw_device *device, const unsigned char *from, size_t length) {
  while (length > 0) {
    ssize_t sent = send(device->socket, from, length, MSG_NOSIGNAL);
    if (sent <= 0) return TW_LOST;
    from += sent;
    length -= (size_t)sent;
  }
  device->sent_at = now_ms();
  return TW_OK;
}

/* ---- packets: out holds the body from byte 5 on, the fixed header is put right before it ---- */

enum { HEAD = 5 };

static size_t put_text(unsigned char *at, const char *text, size_t length) {
  at[0] = (unsigned char)(length >> 8);
  at[1] = (unsigned char)length;
  memcpy(at + 2, text, length);
  return length + 2;
}

static int send_packet(tw_device *device, unsigned char type, size_t body) {
  unsigned char length[4];
  size_t digits = 0;
  size_t rest = body;
  do {
    length[digits] = (unsigned char)(rest % 128);
    rest /= 128;
    if (rest > 0) length[digits] |= 0x80;
    digits++;
  } while (rest > 0);
  unsigned char *start = device->out + HEAD - digits - 1;
  start[0] = type;
  memcpy(start + 1, length, digits);
  return write_all(device, start, body + digits + 1);
}

static uint16_t next_id(tw_device *device) {
  if (++device->packet_id == 0) device->packet_id = 1;
  return device->packet_id;
}

/* Sends a PUBLISH at QoS 1 below the prefix; its id is for the acknowledgement. */
static int publish(tw_device *device, const char *topic, const char *json, uint16_t *id) {
  size_t name = strlen(topic), body = strlen(json), prefix = device->prefix_length;
  if (HEAD + 2 + prefix + name + 2 + body > TW_BUFFER) return TW_TOO_LARGE;
  unsigned char *at = device->out + HEAD;
  size_t full = prefix + name;
  *at++ = (unsigned char)(full >> 8);
  *at++ = (unsigned char)full;
  memcpy(at, device->prefix, prefix);
  memcpy(at + prefix, topic, name);
  at += full;
  *id = next_id(device);
  *at++ = (unsigned char)(*id >> 8);
  *at++ = (unsigned char)*id;
  memcpy(at, json, body);
  at += body;
  return send_packet(device, PUBLISH | 0x02, (size_t)(at - device->out) - HEAD);
}

/* Reads one packet; its body stands in `in`, ended by a zero. One that does not fit is read past: type 0. */
static int read_packet(tw_device *device, unsigned char *type, size_t *length, uint64_t until) {
  unsigned char byte;
  int result = read_all(device, type, 1, until);
  if (result != TW_OK) return result;
  /* Once a packet has begun the rest must follow. */
  until = now_ms() + TW_TIMEOUT_MS;
  size_t size = 0;
  for (int shift = 0;; shift += 7) {
    if (shift > 21) return TW_BROKEN;
    if ((result = read_all(device, &byte, 1, until)) != TW_OK) return result;
    size |= (size_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  *length = size;
  if (size <= TW_BUFFER) {
    if ((result = read_all(device, device->in, size, until)) != TW_OK) return result;
    device->in[size] = 0;
    return TW_OK;
  }
  while (size > 0) {
    size_t part = size < TW_BUFFER ? size : TW_BUFFER;
    if ((result = read_all(device, device->in, part, until)) != TW_OK) return result;
    size -= part;
  }
  *type = 0;
  return TW_OK;
}

/* ---- commands ---- */

/* The value of a key of the outermost object; strings without their quotes. NULL: it is not there. */
static const char *value_of(const char *json, const char *key, size_t *length) {
  int depth = 0;
  size_t key_length = strlen(key);
  for (const char *at = json; *at; at++) {
    if (*at == '{' || *at == '[') depth++;
    else if (*at == '}' || *at == ']') depth--;
    else if (*at == '"') {
      const char *text = at + 1;
      for (at = text; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
      if (!*at) return NULL;
      int is_key = depth == 1 && (size_t)(at - text) == key_length && memcmp(text, key, key_length) == 0;
      const char *after = at + 1 + strspn(at + 1, " \t\r\n");
      if (!is_key || *after != ':') continue;
      const char *start = after + 1 + strspn(after + 1, " \t\r\n");
      const char *end = start;
      if (*start == '"') {
        for (end = ++start; *end && *end != '"'; end++)
          if (*end == '\\' && end[1]) end++;
      } else {
        int inside = 0, quoted = 0;
        for (; *end; end++) {
          if (quoted) {
            if (*end == '\\' && end[1]) end++;
            else if (*end == '"') quoted = 0;
          } else if (*end == '"') quoted = 1;
          else if (*end == '{' || *end == '[') inside++;
          else if (*end == '}' || *end == ']') {
            if (inside-- == 0) break;
          } else if (*end == ',' && inside == 0) break;
        }
      }
      *length = (size_t)(end - start);
      return start;
    }
  }
  return NULL;
}

static int answer(tw_device *device, char *topic, char *json) {
  size_t id_length = 0, params_length = 0;
  char id[sizeof device->done[0].id];
  const char *found = value_of(json, "id", &id_length);
  if (!found || id_length >= sizeof id) return TW_OK;
  memcpy(id, found, id_length);
  id[id_length] = 0;
  char data[TW_BUFFER / 4] = "";
  int code = -1;
  for (unsigned at = 0; at < TW_REMEMBERED; at++)
    if (strcmp(device->done[at].id, id) == 0) code = device->done[at].code;
  if (code < 0) {
    char *params = (char *)value_of(json, "params", &params_length);
    if (params) params[params_length] = 0;
    code = device->command ? device->command(device->context, topic, params ? params : "{}", data, sizeof data) : 1;
    if (code < 0) code = 1;
    unsigned slot = device->done_next++ % TW_REMEMBERED;
    memcpy(device->done[slot].id, id, sizeof id);
    device->done[slot].code = code;
  }
  char reply[TW_BUFFER / 2], name[128];
  uint16_t packet;
  snprintf(name, sizeof name, "%s_reply", topic);
  if (data[0]) snprintf(reply, sizeof reply, "{\"id\":\"%s\",\"code\":%d,\"data\":%s}", id, code, data);
  else snprintf(reply, sizeof reply, "{\"id\":\"%s\",\"code\":%d}", id, code);
  return publish(device, name, reply, &packet);
}

/* A message of the platform: acknowledged first (it has arrived), then carried out and answered. */
static int take(tw_device *device, unsigned char type, size_t length) {
  if (length < 2) return TW_BROKEN;
  size_t name = (size_t)device->in[0] << 8 | device->in[1];
  size_t body = 2 + name;
  int qos = type >> 1 & 3;
  if (body + (qos ? 2 : 0) > length) return TW_BROKEN;
  if (qos) {
    memcpy(device->out + HEAD, device->in + body, 2);
    body += 2;
    int result = send_packet(device, PUBACK, 2);
    if (result != TW_OK) return result;
  }
  if (name < device->prefix_length || name - device->prefix_length >= 100) return TW_OK;
  if (memcmp(device->in + 2, device->prefix, device->prefix_length) != 0) return TW_OK;
  char topic[104];
  memcpy(topic, device->in + 2 + device->prefix_length, name - device->prefix_length);
  topic[name - device->prefix_length] = 0;
  return answer(device, topic, (char *)device->in + body);
}

/* Reads until the wanted packet is there (0: none), carries out commands meanwhile; TW_TIMEOUT when the time is over. */
static int read_until(tw_device *device, unsigned char wanted, uint16_t id, uint64_t until) {
  for (;;) {
    unsigned char type;
    size_t length;
    int result = read_packet(device, &type, &length, until);
    if (result != TW_OK) return result;
    if ((type & 0xf0) == PUBLISH) {
      if ((result = take(device, type, length)) != TW_OK) return result;
    } else if (wanted != 0 && type == wanted && length >= 2) {
      if (wanted == CONNACK) return device->in[1] == 0 ? TW_OK : TW_REFUSED;
      if (((uint16_t)device->in[0] << 8 | device->in[1]) != id) continue;
      return wanted == SUBACK && (length < 3 || device->in[2] > 2) ? TW_REFUSED : TW_OK;
    }
  }
}

/* ---- what the header offers ---- */

static int dial(const char *host, const char *port) {
  struct addrinfo hints, *found, *each;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  int handle = -1;
  for (each = found; each && handle < 0; each = each->ai_next) {
    handle = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
    if (handle >= 0 && connect(handle, each->ai_addr, each->ai_addrlen) != 0) {
      close(handle);
      handle = -1;
    }
  }
  freeaddrinfo(found);
  return handle;
}

static int subscribe(tw_device *device, const char *filter) {
  char full[260];
  int length = snprintf(full, sizeof full, "%s%s", device->prefix, filter);
  unsigned char *at = device->out + HEAD;
  uint16_t id = next_id(device);
  *at++ = (unsigned char)(id >> 8);
  *at++ = (unsigned char)id;
  at += put_text(at, full, (size_t)length);
  *at++ = 1;
  int result = send_packet(device, SUBSCRIBE, (size_t)(at - device->out) - HEAD);
  return result == TW_OK ? read_until(device, SUBACK, id, now_ms() + TW_TIMEOUT_MS) : result;
}

int tw_connect(tw_device *device, const char *host, const char *port, const char *product_key, const char *device_no,
               const char *device_secret, tw_command command, void *context) {
  static const unsigned char protocol[] = {0, 4, 'M', 'Q', 'T', 'T', 4, 0xC2, 0, TW_KEEP_ALIVE_S};
  int prefix = snprintf(device->prefix, sizeof device->prefix, "things/%s/%s/", product_key, device_no);
  if (prefix < 0 || (size_t)prefix >= sizeof device->prefix) return TW_TOO_LARGE;
  size_t secret = strlen(device_secret);
  if (HEAD + sizeof protocol + 2 * (size_t)prefix + secret + 6 > TW_BUFFER) return TW_TOO_LARGE;
  device->prefix_length = (size_t)prefix;
  device->command = command;
  device->context = context;
  device->packet_id = 0;
  memset(device->done, 0, sizeof device->done);
  device->done_next = 0;
  device->socket = dial(host, port);
  if (device->socket < 0) return TW_LOST;

  /* The user name is the prefix without "things/" and the last slash; any client id will do. */
  const char *user = device->prefix + 7;
  size_t user_length = (size_t)prefix - 8;
  unsigned char *at = device->out + HEAD;
  memcpy(at, protocol, sizeof protocol);
  at += sizeof protocol;
  at += put_text(at, device_no, strlen(device_no));
  at += put_text(at, user, user_length);
  at += put_text(at, device_secret, secret);
  int result = send_packet(device, CONNECT, (size_t)(at - device->out) - HEAD);
  if (result == TW_OK) result = read_until(device, CONNACK, 0, now_ms() + TW_TIMEOUT_MS);
  if (result == TW_OK && command) result = subscribe(device, "property/set");
  if (result == TW_OK && command) result = subscribe(device, "service/+/invoke");
  if (result != TW_OK) tw_close(device);
  return result;
}

int tw_post(tw_device *device, const char *json) {
  uint16_t id;
  int result = publish(device, "property/post", json, &id);
  return result == TW_OK ? read_until(device, PUBACK, id, now_ms() + TW_TIMEOUT_MS) : result;
}

int tw_event(tw_device *device, const char *identifier, const char *json) {
  char topic[100];
  uint16_t id;
  if (strlen(identifier) > 64) return TW_TOO_LARGE;
  snprintf(topic, sizeof topic, "event/%s/post", identifier);
  int result = publish(device, topic, json, &id);
  return result == TW_OK ? read_until(device, PUBACK, id, now_ms() + TW_TIMEOUT_MS) : result;
}

int tw_loop(tw_device *device, int milliseconds) {
  uint64_t until = now_ms() + (uint64_t)milliseconds;
  for (;;) {
    uint64_t now = now_ms();
    if (now - device->sent_at >= TW_KEEP_ALIVE_S * 1000u / 2) {
      int result = send_packet(device, PINGREQ, 0);
      if (result != TW_OK) return result;
    }
    uint64_t ping_at = device->sent_at + TW_KEEP_ALIVE_S * 1000u / 2;
    int result = read_until(device, 0, 0, ping_at < until ? ping_at : until);
    if (result != TW_TIMEOUT) return result;
    if (now_ms() >= until) return TW_OK;
  }
}

void tw_close(tw_device *device) {
  static const unsigned char disconnect[] = {0xE0, 0};
  if (device->socket < 0) return;
  (void)send(device->socket, disconnect, sizeof disconnect, MSG_NOSIGNAL);
  close(device->socket);
  device->socket = -1;
}
