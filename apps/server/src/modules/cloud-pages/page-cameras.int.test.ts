import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../../db/testing/management.ts'
import { transferFixture } from '../../db/testing/transfer.ts'
import { newId } from '../../lib/ids.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'

let f: Awaited<ReturnType<typeof transferFixture>>
let pages: CloudPagesService
beforeAll(async () => {
  f = await transferFixture()
  pages = createCloudPagesService({ database: f.m.database })
  return () => f.stop()
})

let made = 0

/** A camera of an account at a vendor, as a company has it; without a serial number one that is an address. */
async function camera(of: Company, name: string, serial: string | null): Promise<string> {
  const [id, account] = [newId(), newId()]
  if (serial !== null)
    await f.m.db.superuser.query(
      `insert into video_accounts (id, tenant_id, name, app_key, secrets_cipher, base_url)
       values ($1, $2, $3, 'key', '', 'https://open.ys7.com')`,
      [account, of.id, `${name} ${account}`],
    )
  await f.m.db.superuser.query(
    `insert into video_channels (id, tenant_id, name, account_id, serial, channel_no, stream_url)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    serial === null
      ? [id, of.id, name, null, null, null, 'rtsp://user:secret@10.0.0.4/live']
      : [id, of.id, name, account, serial, 1, null],
  )
  return id
}

const scene = (gate: string, yard: string): Scene => ({
  ...emptyScene('canvas'),
  nodes: [
    newNode('gate', 'camera', { props: { channel: gate, label: 'Gate' } }),
    newNode('either', 'camera', {
      props: { channel: yard },
      bind: [
        {
          prop: 'channel',
          source: { from: 'expression', text: `1 > 0 ? "${gate}" : "${yard}"` },
          map: { kind: 'ranges', items: [{ min: 1, max: null, value: gate }], otherwise: yard },
        },
      ],
    }),
    // Not a camera: the same letters are only a text.
    newNode('words', 'text', { props: { text: gate, channel: gate } }),
  ],
})

async function shown() {
  const own = await company(f.m.db)
  const [gate, yard] = [await camera(own, 'Gate', 'G39444019'), await camera(own, 'Yard', null)]
  const owner = f.asOwner(own)
  const page = await pages.create(owner, { name: 'Hall', suffix: `cameras-${++made}`, scene: scene(gate, yard) })
  await pages.publish(owner, page.id, '')
  return { own, gate, yard }
}

const hall = async (of: Company) => {
  const { items } = await pages.list(f.asOwner(of), { limit: 10, sort: 'createdAt' })
  return { page: items[0]!, draft: await pages.draft(f.asOwner(of), items[0]!.id) }
}
const unbound = async (of: Company, taskId: string) =>
  (await f.tasks.service.failures(f.asOwner(of), taskId, { limit: 100 })).items
    .filter(({ code }) => code === 'transfer.page_unbound')
    .map(({ message }) => message)

describe('cameras on cloud pages in the file of a company', () => {
  it('are the ones with the same serial number; those that are not here are left unbound and named', async () => {
    const { own, gate, yard } = await shown()
    const file = await f.packed(own)
    const next = await company(f.m.db)
    const there = await camera(next, 'North gate', 'G39444019')
    const task = await f.bring(next, (await f.upload(next, file)).id, { kinds: ['pages'] })
    const said = await unbound(next, task.id)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('Yard')
    expect(said[0]).not.toContain('G39444019')
    const { page, draft } = await hall(next)
    expect(page.state).toBe('withdrawn')
    expect(draft.nodes).toEqual([
      ...scene(there, '').nodes.slice(0, 2),
      newNode('words', 'text', { props: { text: gate, channel: gate } }),
    ])
    expect(JSON.stringify(draft)).not.toContain(yard)

    // The camera of the vendor is not here either.
    const third = await company(f.m.db)
    const other = await f.bring(third, (await f.upload(third, file)).id, { kinds: ['pages'] })
    expect((await unbound(third, other.id))[0]).toContain('Gate (G39444019/1), Yard')
    expect((await hall(third)).draft.nodes[0]!.props.channel).toBe('')
  })

  it('stay the same where the file comes from', async () => {
    const { own, gate, yard } = await shown()
    const task = await f.bring(own, (await f.upload(own, await f.packed(own))).id, {
      kinds: ['pages'],
      existing: 'replace',
    })
    expect(await unbound(own, task.id)).toEqual([])
    const { page, draft } = await hall(own)
    expect(page.state).toBe('published')
    expect(draft.nodes).toEqual(scene(gate, yard).nodes)
  })
})
