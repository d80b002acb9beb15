export interface BannerFacts {
  version: string
  httpUrl: string
  mqtt: string
  mqtts: string | null
  tcp: number | null
  udp: number | null
  coap: number | null
  database: string
  dataDir: string
  tookMs: number
  /** Passwords of logins that this start made; shown once. */
  newLogins: { username: string; password: string; note: string }[]
  demo: boolean
  /** Ports that are not the usual ones because those were busy. */
  moved: string[]
}

function otherPorts({ tcp, udp, coap }: BannerFacts): [string, string][] {
  const taken = Object.entries({ TCP: tcp, UDP: udp, CoAP: coap }).filter(([, port]) => port !== null)
  return taken.length ? [['Devices', taken.map(([name, port]) => `${name} ${port}`).join('   ')]] : []
}

/** The one thing a start prints: where everything is and how to get in. */
export function banner(facts: BannerFacts): string {
  const rows: [string, string][] = [
    ['Console and API', facts.httpUrl],
    [
      'MQTT',
      `${facts.mqtt}${facts.mqtts ? `   TLS ${facts.mqtts}` : ''}   WebSocket ${facts.httpUrl.replace(/^http/, 'ws')}/mqtt`,
    ],
    ...otherPorts(facts),
    ['Devices over HTTP', `${facts.httpUrl}/device/v1/{productKey}/{deviceNo}/property`],
    ['Database', facts.database],
    ['Data folder', facts.dataDir],
  ]
  if (facts.demo) rows.push(['Demo', 'simulated devices are connecting; seven days of history are filled in meanwhile'])
  for (const login of facts.newLogins)
    rows.push([`Sign in (${login.note})`, `${login.username}   password ${login.password}`])
  if (facts.newLogins.length)
    rows.push(['', 'These passwords are shown once. Set ADMIN_PASSWORD before the first start to choose your own.'])
  for (const line of facts.moved) rows.push(['Note', line])
  const width = Math.max(...rows.map(([label]) => label.length))
  const body = rows.map(([label, value]) => `  ${label.padEnd(width)}   ${value}`).join('\n')
  return `\n  Thingwright ${facts.version} is ready (${(facts.tookMs / 1000).toFixed(1)} s)\n\n${body}\n\n  Ctrl-C stops it.\n\n`
}
