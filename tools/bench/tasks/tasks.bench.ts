import { type MailServer, startMailServer } from '../../simulators/mail/mail-server.ts'
import { Api } from '../core/api.ts'
import { atMost, type Bench, type BenchOptions, type BenchReport, seconds, until } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import { Site } from '../core/site.ts'

const TASKS = 10_000
/** From the moment the tasks are written until they are due. */
const AHEAD_MS = 6_000
/** Each with a trigger and a person of its own: nobody gets more than three messages a minute. */
const ALARMS = { S: 60, M: 300 }
const ALARM_EVERY_MS = 200
const RECORDS = 100_000
const READS = { S: 100, M: 400 }
const PATIENCE_MS = 180_000

const round = (ms: number) => Math.round(ms * 10) / 10

/** Timed tasks that are due together, alarms until a provider has them, and a long log of messages. */
export const tasks: Bench = {
  name: 'tasks',
  summary: '10,000 timed tasks due together, alarms to a mail server, 100,000 records of messages',
  async run(options) {
    const mail = await startMailServer()
    const site = await Site.open({
      MAIL_URL: `smtp://${mail.host}:${mail.port}`,
      MAIL_FROM: 'bench@thingwright.example',
    })
    try {
      return await run(options, site, mail)
    } catch (error) {
      options.say(site.installation.log.slice(-3_000))
      throw error
    } finally {
      await site.close()
      await mail.stop()
    }
  },
}

async function run({ say, size }: BenchOptions, site: Site, mail: MailServer): Promise<BenchReport> {
  const due = await dueTogether(site)
  say(`  tasks: last began after ${due.began.max} ms, last command written after ${due.queued.max} ms`)
  const told = await alarms(site, mail, ALARMS[size])
  say(`  alarms: p95 ${told.p95} ms from the message of the device to the mail server`)
  const reads = await records(site, READS[size], say)
  const slowest = reads.reduce((a, b) => (b.p95 > a.p95 ? b : a))
  return {
    tables: [
      {
        title: `${TASKS} daily tasks of one company, each with a device of its own, due in the same moment; ms after it`,
        head: ['moment', 'p50', 'p95', 'last'],
        rows: [
          ['begun: its run is written, and no other process can begin it', due.began.p50, due.began.p95, due.began.max],
          ['its command is written for the device', due.queued.p50, due.queued.p95, due.queued.max],
        ],
      },
      {
        title: 'An alarm, from the HTTP message of the device to the mail at its server; ms',
        head: ['alarms', 'p50', 'p95', 'max'],
        rows: [[told.n, told.p50, told.p95, told.max]],
      },
      {
        title: `${RECORDS} records of messages; ms over REST, one request at a time`,
        head: ['read', 'n', 'p50', 'p95', 'max'],
        rows: reads.map(read => [read.name, read.n, read.p50, read.p95, read.max]),
      },
    ],
    goals: [
      atMost(`the last of ${TASKS} tasks begun after`, due.began.max, 2_000, 'ms'),
      atMost('tasks begun more than once, or not', due.wrong, 0, ''),
      atMost('alarm to provider, p95', told.p95, 2_000, 'ms'),
      atMost(`p95 of the slowest read of records (${slowest.name})`, slowest.p95, 100, 'ms'),
    ],
    notes: [
      'Devices, tasks and records are written by SQL, from one of each that the product made itself.',
      'A run is begun by one statement under a lock; its command follows when its turn comes.',
      'The mail server takes every mail at once. Each alarm has a trigger and a contact of its own.',
    ],
    versions: { PostgreSQL: await site.postgresVersion() },
    data: { due, told, reads },
  }
}

function summed(values: Histogram) {
  return {
    n: values.count,
    p50: round(values.percentile(50)),
    p95: round(values.percentile(95)),
    max: round(values.percentile(100)),
  }
}

async function dueTogether(site: Site) {
  const product = await site.api.post<{ id: string }>('/products', {
    name: 'Pump',
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'run', name: 'run', dataType: { type: 'bool' }, access: 'rw' }] },
  })
  const first = await site.api.post<{ id: string }>('/devices', { productId: product.id, name: 'Pump 0' })
  await site.sql(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, secret_hash, secret_cipher)
     select gen_random_uuid(), p.tenant_id, p.id, p.num, 'pump-' || i, 'Pump ' || i, 'active', now(),
            sha256(convert_to('secret-' || i, 'utf8')), sha256(convert_to('cipher-' || i, 'utf8'))
     from products p, generate_series(1, $2::int) i where p.id = $1`,
    [product.id, TASKS - 1],
  )
  const command = { kind: 'property_set', params: { run: true } }
  const task = await site.api.post<{ id: string }>('/timed-tasks', {
    name: 'task 0',
    schedule: { kind: 'daily', zone: 'UTC', times: ['12:00'] },
    actions: [{ kind: 'command', scope: { deviceIds: [first.id] }, command }],
    enabled: false,
  })
  await site.sql(
    `insert into timed_tasks select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'name', 'task ' || d.n,
       'actions', jsonb_set(t.actions, '{0,scope,deviceIds}', jsonb_build_array(d.id))))).*
     from timed_tasks t, (select id, row_number() over (order by num) as n from devices where product_id = $2 and id <> $3) d
     where t.id = $1`,
    [task.id, product.id, first.id],
  )
  await site.sql('vacuum (analyze) devices, timed_tasks')
  const [row] = await site.sql<{ due: Date }>(
    `update timed_tasks set enabled = true, next_run = x.due,
       schedule = jsonb_set(schedule, '{times}', jsonb_build_array(to_char(x.due at time zone 'utc', 'HH24:MI:SS')))
     from (select date_trunc('second', clock_timestamp()) + make_interval(secs => $1) as due) x returning next_run as due`,
    [AHEAD_MS / 1_000],
  )
  const due = row!.due.getTime()
  // Runs are written in whole transactions: who looks every few milliseconds sees each when it is there.
  const began = new Histogram()
  const queued = new Histogram()
  let seen = 0
  let sent = 0
  const all = await until(
    async () => {
      const now = Date.now()
      const [count] = await site.sql<{ runs: number; commands: number }>(
        `select (select count(*)::int from timed_task_runs) as runs, (select count(*)::int from timed_task_results) as commands`,
      )
      const at = Math.max(now, due) - due
      for (; seen < count!.runs; seen++) began.record(at)
      for (; sent < count!.commands; sent++) queued.record(at)
      return seen >= TASKS && sent >= TASKS
    },
    PATIENCE_MS,
    20,
  )
  if (!all) throw new Error(`${seen} runs and ${sent} commands of ${TASKS}`)
  const [wrong] = await site.sql<{ n: number }>(
    `select (count(*) - count(distinct task_id) + abs($1 - count(distinct task_id)))::int as n from timed_task_runs`,
    [TASKS],
  )
  await site.sql('update timed_tasks set enabled = false')
  return { began: summed(began), queued: summed(queued), wrong: wrong!.n }
}

async function alarms(site: Site, mail: MailServer, count: number) {
  const devices = await site.installation.devices(count)
  const contacts: string[] = []
  for (const [i, device] of devices.entries()) {
    const contact = await site.api.post<{ id: string }>('/contacts', {
      name: `Person ${i}`,
      email: `person-${i}@example.com`,
      locale: 'en',
      escalationOnly: false,
    })
    const trigger = await site.api.post<{ id: string }>('/triggers', {
      name: `Too much ${i}`,
      scope: { deviceIds: [device.id] },
      kind: 'above',
      property: 'n',
      high: 100,
      alarm: { level: 4 },
    })
    contacts.push(contact.id)
    await site.sql(
      `insert into trigger_messages (trigger_id, tenant_id, contact_ids) select id, tenant_id, array[$2::uuid] from triggers where id = $1`,
      [trigger.id, contact.id],
    )
  }
  await site.sql(`update contacts set verified_at = now() where id = any ($1::uuid[])`, [contacts])
  const send = (i: number, n: number) => {
    const { productKey, deviceNo, secret } = devices[i]!
    return fetch(`${site.installation.url}/device/v1/${productKey}/${deviceNo}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ n }),
    })
  }
  // Their rules are in force and their connections known.
  for (let i = 0; i < count; i++) await send(i, 1)
  await seconds(5)
  const sentAt = new Map<string, number>()
  const values = new Histogram()
  let seen = mail.mails.length
  const note = () => {
    const now = performance.now()
    for (; seen < mail.mails.length; seen++) {
      const began = sentAt.get(mail.mails[seen]!.to[0]!)
      if (began !== undefined) values.record(now - began)
    }
  }
  const look = setInterval(note, 5)
  for (let i = 0; i < count; i++) {
    const next = seconds(ALARM_EVERY_MS / 1_000)
    sentAt.set(`person-${i}@example.com`, performance.now())
    const reply = await send(i, 101)
    if (!reply.ok) throw new Error(`HTTP ${reply.status} for a message`)
    await next
  }
  const all = await until(() => values.count >= count, PATIENCE_MS)
  clearInterval(look)
  if (!all) throw new Error(`${values.count} mails of ${count}`)
  return summed(values)
}

async function records(site: Site, count: number, say: (line: string) => void) {
  // Without the columns that the database computes.
  const [{ columns }] = (await site.sql<{ columns: string }>(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = 'public' and table_name = 'notification_records' and is_generated = 'NEVER'`,
  )) as [{ columns: string }]
  await site.sql(
    `with r as (select * from notification_records where state = 'sent' order by id limit 1)
     insert into notification_records (${columns}) select ${columns} from (select x.* from r, generate_series(1, $1::int) n, jsonb_populate_record(null::notification_records,
       to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(), 'kind', 'test',
       'state', case when n % 50 = 0 then 'failed' else 'sent' end, 'created_at', r.created_at - make_interval(secs => n))) x) y`,
    [RECORDS],
  )
  await site.sql('vacuum (analyze) notification_records')
  const [one] = await site.sql<{ alarm_id: string; contact_id: string }>(
    `select alarm_id, contact_id from notification_records where kind = 'raised' order by created_at desc limit 1`,
  )
  const paths = {
    'first page': '/notification-records?limit=20',
    'those that failed': '/notification-records?limit=20&state=failed',
    'of one alarm': `/notification-records?limit=20&alarmId=${one!.alarm_id}`,
    'of one contact': `/notification-records?limit=20&contactId=${one!.contact_id}`,
    'search for a name': '/notification-records?limit=20&q=Person%207',
    'search that finds nothing': '/notification-records?limit=20&q=nobody%20has%20this',
  }
  const api = new Api(site.installation.url, 1)
  await api.signIn()
  const measured: { name: string; n: number; p50: number; p95: number; max: number }[] = []
  for (const [name, path] of Object.entries(paths)) {
    for (let i = 0; i < 5; i++) await api.get(path)
    const values = new Histogram()
    for (let i = 0; i < count; i++) {
      const began = performance.now()
      await api.get(path)
      values.record(performance.now() - began)
    }
    measured.push({ name, ...summed(values) })
    say(`  ${name}: p95 ${measured.at(-1)!.p95} ms`)
  }
  // A page far behind, as somebody reaches it who goes on.
  let cursor: string | null = null
  const values = new Histogram()
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    const page: { nextCursor: string | null } = await api.get(
      `/notification-records?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    values.record(performance.now() - began)
    cursor = page.nextCursor
  }
  measured.push({ name: 'page after page of 100', ...summed(values) })
  api.close()
  return measured
}
