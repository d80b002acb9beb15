import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const gate = join(root, 'packages/contracts/scripts/route-table.ts')

const PLANTED = `
const row = (method, path, rest = {}) =>
  ({ method, path, summary: 's', tag: 't', permission: 'device:read', response: {}, ...rest })
export const pumpsContract = {
  list: row('GET', '/api/v1/pumps'),
  start: row('POST', '/api/v1/pumps/{id}/start'),
  stop: row('POST', '/api/v1/pumps/{id}/stop', { audit: 'Stop the pump' }),
  rest: row('PUT', '/api/v1/pumps/{id}', { audit: { none: ' ' } }),
  open: row('GET', '/api/v1/pumps/{id}/open', { permission: undefined }),
  again: row('GET', '/api/v1/pumps/{no}/open', { audit: { none: 'read' } }),
  right: row('DELETE', '/api/v1/pumps/{id}', { audit: 'pump.remove' }),
}
export const limit = 5
`

// The gate over the declared routes can fail, and says where.
describe('the route table', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-routes-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = (text: string) => {
    const file = join(folder, 'pumps.contract.ts')
    writeFileSync(file, text)
    return spawnSync(process.execPath, ['--import', 'tsx', gate, file], { encoding: 'utf8', cwd: root })
  }

  it('names routes without a right, without a name for the log, declared twice or not registered', () => {
    const { stdout, status } = run(PLANTED)
    expect(stdout.trim().split('\n')).toEqual([
      'pumpsContract is not among all-contracts.ts',
      'pumpsContract.start (POST /api/v1/pumps/{id}/start) changes something without an audit name',
      'pumpsContract.stop (POST /api/v1/pumps/{id}/stop) has the audit name "Stop the pump", which is not object.what_happens',
      'pumpsContract.rest (PUT /api/v1/pumps/{id}) does not say why it leaves no trace',
      'pumpsContract.open (GET /api/v1/pumps/{id}/open) has no permission',
      'pumpsContract.again has the address of pumpsContract.open: GET /api/v1/pumps/{}/open',
    ])
    expect(status).toBe(1)
  })

  it('fails where it finds nothing to look at', () => {
    const { stdout, status } = run('export const limit = 5\n')
    expect([stdout.trim(), status]).toEqual(['no route was found', 1])
  })
})
