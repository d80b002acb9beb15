import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JobRow } from './jobs.rows.ts'
import { createNotices } from './notices.ts'
import type { PackageRow } from './packages.repo.ts'

it('a notice has the fields of docs/device-protocol.md, in their order and of their kinds', () => {
  const protocol = readFileSync(join(import.meta.dirname, '../../../../../docs/device-protocol.md'), 'utf8')
  const shown = JSON.parse(/```json\n(\{"id"[\s\S]*?)```/.exec(protocol)![1]!) as Record<string, unknown>
  const make = createNotices({ sign: () => '/api/v1/firmware-downloads/x', baseUrl: () => 'https://host' })
  const job = { id: 'j', module: 'default', attempt: 1 } as JobRow
  const item = {
    id: 'p',
    productKey: 'k',
    version: '1.5.0',
    kind: 'full',
    fromVersion: null,
    size: 1_048_576,
    sha256: Buffer.alloc(32),
    signature: Buffer.alloc(64),
    ext: {},
  } as unknown as PackageRow
  const notice = JSON.parse(JSON.stringify(make(job, item, false, 0))) as Record<string, unknown>
  const kinds = (of: Record<string, unknown>) =>
    Object.entries(of).map(([name, value]) => [name, value === null ? 'null' : typeof value])
  expect(kinds(notice)).toEqual(kinds(shown))
  expect(Object.keys(notice.chunk as object)).toEqual(Object.keys(shown.chunk as object))
  expect((notice.chunk as { bytes: number }).bytes).toBe((shown.chunk as { bytes: number }).bytes)
})
