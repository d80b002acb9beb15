/**
 * Receivers of a webhook that check the signature before they believe anything, each a whole program of its language's
 * standard library. The test beside this file runs those for which a tool is there.
 */
export const SIGNATURE_LANGUAGES = ['node', 'python', 'java', 'go', 'csharp', 'php'] as const
export type SignatureLanguage = (typeof SIGNATURE_LANGUAGES)[number]

/** Names of languages are the same everywhere. */
export const LANGUAGE_NAME: Record<SignatureLanguage, string> = {
  node: 'Node.js',
  python: 'Python',
  java: 'Java',
  go: 'Go',
  csharp: 'C#',
  php: 'PHP',
}

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const SECRET = process.env.WEBHOOK_SECRET
const seen = new Set() // in production: a table with a unique id

function genuine(header, body) {
  const parts = (header ?? '').split(',').map(part => part.trim().split('='))
  const { t, n } = Object.fromEntries(parts)
  if (!(Math.abs(Date.now() - Number(t)) <= 300_000)) return false // older than 5 minutes: a replay
  const expected = createHmac('sha256', SECRET).update(\`\${t}.\${n}.\`).update(body).digest()
  return parts.some(([key, value]) => {
    const given = key === 'v1' ? Buffer.from(value ?? '', 'hex') : []
    return given.length === expected.length && timingSafeEqual(given, expected)
  }) // two v1 while the secret is being replaced: one has to fit
}

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks) // the bytes as they came, not parsed and printed again
  if (!genuine(request.headers['thingwright-signature'], body)) return response.writeHead(401).end()
  for (const item of JSON.parse(body).items) {
    if (seen.has(item.id)) continue // delivered at least once: the id stays the same
    seen.add(item.id)
    console.log(item.type, item.deviceNo, item.data)
  }
  response.writeHead(204).end() // any 2xx within 10 seconds means: received
}).listen(process.env.PORT ?? 8000)
`

const PYTHON = `import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
seen = set()  # in production: a table with a unique id

def genuine(header, body):
    try:
        parts = [p.strip().split("=", 1) for p in header.split(",")]
        part = dict(parts)
        if abs(time.time() * 1000 - int(part["t"])) > 300_000:  # older than 5 minutes: a replay
            return False
        text = f"{part['t']}.{part['n']}.".encode() + body
        expected = hmac.new(SECRET, text, hashlib.sha256).hexdigest()
        # Two v1 while the secret is being replaced: one has to fit.
        return any(key == "v1" and hmac.compare_digest(expected, value) for key, value in parts)
    except (KeyError, TypeError, ValueError):
        return False

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        ok = genuine(self.headers.get("Thingwright-Signature", ""), body)
        if ok:
            for item in json.loads(body)["items"]:
                if item["id"] in seen:  # delivered at least once: the id stays the same
                    continue
                seen.add(item["id"])
                print(item["type"], item["deviceNo"], item["data"], flush=True)
        self.send_response(204 if ok else 401)  # any 2xx within 10 seconds means: received
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", 8000))), Receiver).serve_forever()
`

const JAVA = `import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final byte[] SECRET = System.getenv("WEBHOOK_SECRET").getBytes(UTF_8);

  static boolean genuine(String header, byte[] body) throws Exception {
    Map<String, String> part = new HashMap<>();
    List<String> given = new ArrayList<>(); // two v1 while the secret is being replaced: one has to fit
    for (String p : (header == null ? "" : header).split(",")) {
      String[] pair = p.trim().split("=", 2);
      if (pair.length == 2) part.put(pair[0], pair[1]);
      if (pair.length == 2 && pair[0].equals("v1")) given.add(pair[1]);
    }
    try {
      // Older than 5 minutes: a replay.
      if (Math.abs(System.currentTimeMillis() - Long.parseLong(part.get("t"))) > 300_000) return false;
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
      mac.update((part.get("t") + "." + part.get("n") + ".").getBytes(UTF_8));
      byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(UTF_8);
      return given.stream().anyMatch(v1 -> MessageDigest.isEqual(expected, v1.getBytes(UTF_8)));
    } catch (IllegalArgumentException | NullPointerException e) {
      return false;
    }
  }

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8000"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/", exchange -> {
      byte[] body = exchange.getRequestBody().readAllBytes();
      boolean ok;
      try {
        ok = genuine(exchange.getRequestHeaders().getFirst("Thingwright-Signature"), body);
      } catch (Exception e) {
        ok = false;
      }
      // Store the items by their id: each comes at least once, the id stays the same.
      if (ok) System.out.println(new String(body, UTF_8));
      exchange.sendResponseHeaders(ok ? 204 : 401, -1); // any 2xx within 10 seconds means: received
      exchange.close();
    });
    server.start();
  }
}
`

const GO = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var secret = []byte(os.Getenv("WEBHOOK_SECRET"))

func genuine(header string, body []byte) bool {
	part, given := map[string]string{}, []string{}
	for _, p := range strings.Split(header, ",") {
		if key, value, ok := strings.Cut(strings.TrimSpace(p), "="); ok {
			part[key] = value
			if key == "v1" { // two while the secret is being replaced: one has to fit
				given = append(given, value)
			}
		}
	}
	t, err := strconv.ParseInt(part["t"], 10, 64)
	if err != nil || time.Since(time.UnixMilli(t)).Abs() > 5*time.Minute { // older than 5 minutes: a replay
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(part["t"] + "." + part["n"] + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, v1 := range given {
		if hmac.Equal(expected, []byte(v1)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !genuine(r.Header.Get("Thingwright-Signature"), body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var batch struct {
			Items []struct {
				ID, Type, DeviceNo string
				Data               json.RawMessage
			}
		}
		if json.Unmarshal(body, &batch) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, item := range batch.Items { // delivered at least once: keep the ids, they stay the same
			fmt.Println(item.ID, item.Type, item.DeviceNo, string(item.Data))
		}
		w.WriteHeader(http.StatusNoContent) // any 2xx within 10 seconds means: received
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	http.ListenAndServe(":"+port, nil)
}
`

const CSHARP = `using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

var secret = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_SECRET")!);
var app = WebApplication.CreateBuilder(args).Build();

bool Genuine(string header, byte[] body)
{
    var part = header.Split(',').Select(p => p.Trim().Split('=', 2))
        .Where(p => p.Length == 2).ToLookup(p => p[0], p => p[1]);
    var (t, n) = (part["t"].FirstOrDefault(), part["n"].FirstOrDefault());
    if (!long.TryParse(t, out var time)) return false;
    // Older than 5 minutes: a replay.
    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() - time) > 300_000) return false;
    var hash = HMACSHA256.HashData(secret, [.. Encoding.UTF8.GetBytes($"{t}.{n}."), .. body]);
    var expected = Encoding.UTF8.GetBytes(Convert.ToHexString(hash).ToLowerInvariant());
    // Two v1 while the secret is being replaced: one has to fit.
    return part["v1"].Any(v1 => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(v1)));
}

app.MapPost("/", async (HttpRequest request) =>
{
    using var memory = new MemoryStream();
    await request.Body.CopyToAsync(memory);
    var body = memory.ToArray();
    if (!Genuine(request.Headers["Thingwright-Signature"].ToString(), body)) return Results.Unauthorized();
    // Delivered at least once: keep the ids, they stay the same.
    foreach (var item in JsonDocument.Parse(body).RootElement.GetProperty("items").EnumerateArray())
        Console.WriteLine($"{item.GetProperty("id")} {item.GetProperty("type")} {item.GetProperty("data")}");
    return Results.NoContent(); // any 2xx within 10 seconds means: received
});

app.Run("http://0.0.0.0:" + (Environment.GetEnvironmentVariable("PORT") ?? "8000"));
`

const PHP = `<?php
$secret = getenv('WEBHOOK_SECRET');
$body = file_get_contents('php://input'); // the bytes as they came

function genuine(string $header, string $body, string $secret): bool {
    $part = [];
    $given = []; // two v1 while the secret is being replaced: one has to fit
    foreach (explode(',', $header) as $p) {
        [$key, $value] = array_pad(explode('=', trim($p), 2), 2, '');
        if ($key === 'v1') $given[] = $value;
        $part[$key] = $value;
    }
    if (!isset($part['t'], $part['n'])) return false;
    if (abs(microtime(true) * 1000 - (float) $part['t']) > 300000) return false; // older than 5 minutes: a replay
    $expected = hash_hmac('sha256', "{$part['t']}.{$part['n']}.$body", $secret);
    foreach ($given as $v1) if (hash_equals($expected, $v1)) return true;
    return false;
}

if (!genuine($_SERVER['HTTP_THINGWRIGHT_SIGNATURE'] ?? '', $body, $secret)) {
    http_response_code(401);
    exit;
}
foreach (json_decode($body, true)['items'] as $item) { // delivered at least once: keep the ids, they stay the same
    error_log("{$item['id']} {$item['type']} {$item['deviceNo']} " . json_encode($item['data']));
}
http_response_code(204); // any 2xx within 10 seconds means: received
`

const SAMPLES: Record<SignatureLanguage, string> = {
  node: NODE,
  python: PYTHON,
  java: JAVA,
  go: GO,
  csharp: CSHARP,
  php: PHP,
}

/** A whole receiver in one language. */
export function signatureSample(language: SignatureLanguage): string {
  return SAMPLES[language]
}
