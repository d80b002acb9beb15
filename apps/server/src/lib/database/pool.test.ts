import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../..')
/** Makes connections of copies, and reads a URL as the driver does. */
const MAY_CALL_THE_DRIVER = ['lib/database/pool.ts', 'lib/database/new-client.ts', 'db/external-database.ts']

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|\.ts$)/.test(name))
  .map(name => ({ name: relative('.', name), text: readFileSync(join(SRC, name), 'utf8') }))

describe('connections to the database', () => {
  it('are made where the driver gets a copy, because it hides password and key in what it is given', () => {
    const found = sources.filter(({ text }) => /new (pg\.)?(Client|Pool)\(/.test(text) && /from 'pg'/.test(text))
    expect(found.map(({ name }) => name).sort()).toEqual([...MAY_CALL_THE_DRIVER].sort())
  })

  it('are never made of the settings that a pool shows of itself', () => {
    const found = sources.filter(({ text }) => /\b(telemetry|pool|db|database|client)\.options\b/.test(text))
    expect(found.map(({ name }) => name)).toEqual([])
  })
})
