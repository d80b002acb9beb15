import { quoted } from './connect-quoting.ts'
import type { ConnectFacts } from './connect-ways.ts'

/** Code for boards, radio modules and DTUs, and in C. */

const username = (f: ConnectFacts) => `${f.productKey}/${f.deviceNo}`

export function cTcp(f: ConnectFacts): string {
  const line = `${username(f)}/${f.secret}`
  return `#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *to;
  if (getaddrinfo(${quoted(f.host)}, "${f.tcpPort}", &hints, &to) != 0) return 1;
  int s = socket(to->ai_family, SOCK_STREAM, 0);
  if (connect(s, to->ai_addr, to->ai_addrlen) != 0) return 1;
  const char *hello = ${quoted(`${line}\r\n`)};
  if (write(s, hello, strlen(hello)) < 0) return 1;
  for (;;) {
    const char *frame = ${quoted(`${f.frame}\r\n`)};
    if (write(s, frame, strlen(frame)) < 0) return 1;
    sleep(10);
  }
}
`
}

/**
 * AT commands of Quectel modules (EC20/EC200/BC26 TCP/IP application notes: AT+QIOPEN, AT+QISEND). The line with the
 * secret ends with Ctrl+Z: nobody knows its length before the secret stands in it. Other lengths are bytes.
 */
export function quectelSocket(f: ConnectFacts, service: 'TCP' | 'UDP', port: number, line: string): string {
  const bytes = (text: string) => Buffer.byteLength(text) + 2
  return `AT+QICSGP=1,1,"CMNET","","",1
AT+QIACT=1
AT+QIOPEN=1,0,"${service}","${f.host}",${port},0,1
# +QIOPEN: 0,0
AT+QISEND=0
> ${line}<CR><LF><CTRL+Z>
AT+QISEND=0,${bytes(f.frame)}
> ${f.frame}<CR><LF>`
}

/** AT commands of USR DTUs (USR-G770/G780 software manual: SOCKA, REGEN, REGTP, REGUSR, HEARTEN). */
export function usrDtu(f: ConnectFacts): string {
  return `+++
a
AT+WKMOD="NET"
AT+SOCKAEN="ON"
AT+SOCKA="TCP","${f.host}",${f.tcpPort}
AT+REGEN="ON"
AT+REGTP="REGUSR"
AT+REGUSR="${username(f)}/${f.secret}\\r\\n"
AT+REGSND="LINK"
AT+HEARTEN="OFF"
AT+S`
}

/** AT commands of Quectel modules (MQTT application note: AT+QMTOPEN, AT+QMTCONN, AT+QMTPUBEX). */
export function quectelMqtt(f: ConnectFacts): string {
  return `AT+QMTOPEN=0,"${f.host}",${f.mqttPort}
# +QMTOPEN: 0,0
AT+QMTCONN=0,"${f.deviceNo}","${username(f)}","${f.secret}"
# +QMTCONN: 0,0,0
AT+QMTPUBEX=0,1,1,0,"things/${username(f)}/property/post",${Buffer.byteLength(f.payload)}
> ${f.payload}`
}

export function arduinoMqtt(f: ConnectFacts): string {
  return `// Libraries: WiFi (ESP32), PubSubClient
#include <WiFi.h>
#include <PubSubClient.h>

WiFiClient net;
PubSubClient mqtt(net);
const char* PREFIX = ${quoted(`things/${username(f)}/`)};

void setup() {
  WiFi.begin("SSID", "PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(200);
  mqtt.setServer(${quoted(f.host)}, ${f.mqttPort});
  mqtt.setBufferSize(1024);
}

void loop() {
  if (!mqtt.connected()) {
    mqtt.connect(${quoted(f.deviceNo)}, ${quoted(username(f))}, ${quoted(f.secret)});
    mqtt.subscribe((String(PREFIX) + "property/set").c_str(), 1);
  }
  mqtt.loop();
  static unsigned long last = 0;
  if (millis() - last > 10000) {
    last = millis();
    mqtt.publish((String(PREFIX) + "property/post").c_str(), ${quoted(f.payload)});
  }
}
`
}

export function arduinoHttp(f: ConnectFacts): string {
  return `// Libraries: WiFi, HTTPClient (ESP32)
#include <WiFi.h>
#include <HTTPClient.h>

void setup() {
  WiFi.begin("SSID", "PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(200);
}

void loop() {
  HTTPClient http;
  http.begin(${quoted(`${f.httpUrl}/property`)});
  http.addHeader("Authorization", ${quoted(`Bearer ${f.secret}`)});
  http.addHeader("Content-Type", "application/json");
  http.POST(${quoted(f.payload)});
  http.end();
  delay(10000);
}
`
}
