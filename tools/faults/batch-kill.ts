import mqtt, { type MqttClient } from 'mqtt'
import { Installation, PASSWORD } from '../lib/installation.ts'

export interface BatchKillReport {
  /** Devices by what the batch says of them. */
  states: Record<string, number>
  /** Reasons of those that got nothing. */
  refusals: Record<string, number>
  /** Commands in the table, and devices they are for. */
  commands: number
  commandedDevices: number
  /** Connected devices by how many different commands they got. */
  received: Record<number, number>
  /** How many had a command when everything was killed. */
  atKill: number
  backMs: number
}

interface Made {
  id: string
  deviceNo: string
}

/**
 * One batch command over many devices, half of them connected; kill -9 of every process in the middle; start again. Then
 * every device has exactly one command, or a row that says why not.
 */
export async function batchKill(options: { devices: number; killAt: number }): Promise<BatchKillReport> {
  const installation = await Installation.create()
  const clients: MqttClient[] = []
  try {
    await installation.start()
    const api = await signIn(installation.url)
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Valves',
      linkType: 'mqtt',
      thingModel: {
        properties: [],
        services: [{ identifier: 'close', name: 'close', input: [], output: [] }],
      },
    })
    const first = await api<Made & { deviceSecret: string }>('POST', '/devices', { productId: product.id, name: 'V' })
    const devices = await clone(installation, first.id, options.devices - 1)
    const connected = devices.slice(0, devices.length / 2)
    const away = devices.slice(devices.length / 2)
    const received = new Map<string, Set<string>>()
    await Promise.all(
      connected.map(async ({ deviceNo }) => {
        received.set(deviceNo, new Set())
        clients.push(
          await valve(installation, product.productKey, deviceNo, first.deviceSecret, received.get(deviceNo)!),
        )
      }),
    )
    // The batch comes as far as this device and waits there, whatever the machine does meanwhile.
    const held = await hold(installation, away[away.length / 2]!.id)
    const batch = await api<{ id: string }>('POST', '/command-batches', {
      name: 'Close all',
      target: { productId: product.id },
      command: { kind: 'service', identifier: 'close', params: {}, timeoutMs: 600_000 },
      perSecond: 500,
    })
    // Of the devices whose turn comes last, some go and some are disabled meanwhile.
    const late = away.slice(-20)
    await edit(installation, `update devices set lifecycle = 'disabled' where id = any ($1::uuid[])`, [
      late.slice(0, 10).map(device => device.id),
    ])
    await edit(installation, 'delete from devices where id = any ($1::uuid[])', [
      late.slice(10).map(device => device.id),
    ])
    const pending = async () =>
      (await api<{ counts: Record<string, number> }>('GET', `/command-batches/${batch.id}`)).counts.pending ?? 0
    let atKill = 0
    await until(async () => {
      atKill = options.devices - (await pending())
      return atKill >= options.killAt
    })
    const began = performance.now()
    installation.kill('everything')
    await installation.exited()
    await held.end()
    await installation.start()
    const backMs = Math.round(performance.now() - began)

    const again = await signIn(installation.url)
    await until(async () => {
      const { state, counts } = await again<{ state: string; counts: Record<string, number> }>(
        'GET',
        `/command-batches/${batch.id}`,
      )
      return state === 'done' && (counts.succeeded ?? 0) >= connected.length
    })
    const pool = installation.database()
    const states = await counted(
      pool.query(
        `select case when i.state = 'created' then c.state else i.state end as key, count(*)::int as n
         from command_batch_items i left join commands c on c.id = i.command_id where i.batch_id = $1 group by 1`,
        [batch.id],
      ),
    )
    const refusals = await counted(
      pool.query(
        `select error_code as key, count(*)::int as n from command_batch_items where batch_id = $1 and state = 'refused' group by 1`,
        [batch.id],
      ),
    )
    const { rows } = await pool.query<{ n: number; devices: number }>(
      'select count(*)::int as n, count(distinct device)::int as devices from commands where batch_id = $1',
      [batch.id],
    )
    await pool.end()
    const got: Record<number, number> = {}
    for (const ids of received.values()) got[ids.size] = (got[ids.size] ?? 0) + 1
    return {
      states,
      refusals,
      commands: rows[0]!.n,
      commandedDevices: rows[0]!.devices,
      received: got,
      atKill,
      backMs,
    }
  } finally {
    for (const client of clients) client.end(true)
    installation.kill('everything')
    await installation.exited()
    installation.remove()
  }
}

/** A device with a persistent session that closes its valve when told, and says so. */
async function valve(
  installation: Installation,
  productKey: string,
  deviceNo: string,
  secret: string,
  ids: Set<string>,
): Promise<MqttClient> {
  const prefix = `things/${productKey}/${deviceNo}/`
  const client = mqtt.connect(`mqtt://127.0.0.1:${installation.mqttPort}`, {
    username: `${productKey}/${deviceNo}`,
    password: secret,
    clientId: deviceNo,
    clean: false,
    reconnectPeriod: 250,
    reconnectOnConnackError: true,
    keepalive: 60,
  })
  client.on('error', () => {})
  client.on('message', (_, payload) => {
    const { id } = JSON.parse(payload.toString()) as { id: string }
    ids.add(id)
    client.publish(`${prefix}service/close/invoke_reply`, JSON.stringify({ id, code: 0 }), { qos: 1 })
  })
  await new Promise<void>(resolve => client.once('connect', () => resolve()))
  await client.subscribeAsync(`${prefix}service/+/invoke`, { qos: 1 })
  return client
}

/** The same device again and again under other numbers: a thousand through the API would be most of the test's time. */
async function clone(installation: Installation, id: string, count: number): Promise<Made[]> {
  const pool = installation.database()
  try {
    await pool.query(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
       select gen_random_uuid(), tenant_id, product_id, product_num, 'valve-' || n, 'Valve ' || n, secret_hash, secret_cipher
       from devices, generate_series(1, $2::int) as n where id = $1`,
      [id, count],
    )
    const { rows } = await pool.query<Made>(
      'select id, device_no as "deviceNo" from devices where product_id = (select product_id from devices where id = $1) order by num',
      [id],
    )
    return rows
  } finally {
    await pool.end()
  }
}

/** Keeps a device's row until the database dies: no command for it can be written. */
async function hold(installation: Installation, id: string): Promise<{ end(): Promise<void> }> {
  const pool = installation.database()
  const client = await pool.connect()
  client.on('error', () => {})
  await client.query('begin')
  await client.query('select 1 from devices where id = $1 for update', [id])
  return {
    async end() {
      client.release(true)
      await pool.end()
    },
  }
}

async function edit(installation: Installation, sql: string, params: unknown[]): Promise<void> {
  const pool = installation.database()
  try {
    await pool.query(sql, params)
  } finally {
    await pool.end()
  }
}

async function counted(query: Promise<{ rows: { key: string; n: number }[] }>): Promise<Record<string, number>> {
  return Object.fromEntries((await query).rows.map(({ key, n }) => [key, n]))
}

async function signIn(url: string) {
  const reply = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
  })
  const { access_token } = (await reply.json()) as { access_token: string }
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not come to that within three minutes')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
