/*
 * ESP32 with the Arduino core: put thingwright.h and thingwright.c (../c) beside this file and fill in the four lines.
 * Any sensor goes where readTemperature stands, any switch where setPump does.
 */
#include <WiFi.h>
#include "thingwright.h"

const char *SSID = "network", *PASSWORD = "password";
const char *HOST = "192.168.1.10", *PORT = "1883";
const char *PRODUCT = "PRODUCT", *DEVICE = "DEVICE";
const char *SECRET = "SECRET";

static tw_device device;
static bool connected = false, pumpOn = false, changed = true;
static unsigned long lastPost = 0, wait = 500;

static float readTemperature() { return 20.0f + (float)(esp_random() % 50) / 10.0f; }
static void setPump(bool on) {
  pumpOn = on;
  digitalWrite(2, on ? HIGH : LOW);
}

static int onCommand(void *, const char *name, const char *params, char *, size_t) {
  if (strcmp(name, "property/set") != 0) return 1;
  if (strstr(params, "\"pump\":true")) setPump(true);
  else if (strstr(params, "\"pump\":false")) setPump(false);
  else return 2;
  changed = true;
  return 0;
}

void setup() {
  pinMode(2, OUTPUT);
  WiFi.begin(SSID, PASSWORD);
  while (WiFi.status() != WL_CONNECTED) delay(200);
}

void loop() {
  if (!connected) {
    int result = tw_connect(&device, HOST, PORT, PRODUCT, DEVICE, SECRET, onCommand, nullptr);
    connected = result == TW_OK;
    if (!connected) {
      if (result == TW_REFUSED) wait = 30000;
      delay(wait / 2 + esp_random() % (wait / 2 + 1));
      if (wait < 60000) wait *= 2;
      return;
    }
    wait = 500;
  }
  int result = TW_OK;
  if (changed || millis() - lastPost > 10000) {
    char json[96];
    snprintf(json, sizeof json, "{\"temperature\":%.1f,\"pump\":%s}", readTemperature(), pumpOn ? "true" : "false");
    result = tw_post(&device, json);
    lastPost = millis();
    changed = false;
  }
  if (result == TW_OK) result = tw_loop(&device, 100);
  if (result != TW_OK) {
    tw_close(&device);
    connected = false;
  }
}
