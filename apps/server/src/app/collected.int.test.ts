import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import { OWNED_KINDS } from '@thingwright/contracts/members.contract'
import type { ModuleFacts } from '@thingwright/contracts/module'
import { MODULES } from '@thingwright/contracts/modules'
import { SEARCH_KINDS } from '@thingwright/contracts/search.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

let db: TestDatabase
let container: Container
beforeAll(async () => {
  db = await testDatabase()
  container = testContainer(db)
})
afterAll(() => db.drop())

const once = (names: readonly string[]) => expect(names).toEqual([...new Set(names)])

describe('what the modules bring', () => {
  it('finds every kind of object that the search shows, each once', () => {
    const sources = container.modules.flatMap(module => module.search ?? [])
    // No list of companies is asked here.
    expect(sources.map(({ kind }) => kind).sort()).toEqual(SEARCH_KINDS.filter(kind => kind !== 'company').toSorted())
    once(sources.map(({ kind }) => kind))
  })

  it('counts and hands over every kind of what belongs to members', () => {
    const owned = container.modules.flatMap(module => module.owned ?? [])
    expect(owned.map(({ kind }) => kind).sort()).toEqual(OWNED_KINDS.toSorted())
  })

  it('answers to every topic that a module declares, and to no other', () => {
    const declared = (MODULES as readonly ModuleFacts[]).flatMap(({ live = [] }) => live.map(({ pattern }) => pattern))
    const answered = container.modules.flatMap(module => module.live ?? []).map(({ pattern }) => pattern as string)
    expect(answered.sort()).toEqual(declared.sort())
    const known: readonly string[] = LIVE_TOPICS.map(({ pattern }) => pattern)
    expect(declared.filter(pattern => !known.includes(pattern))).toEqual([])
  })

  it('reads the journal under names of its own', () => {
    const readers = container.modules.flatMap(module => module.consumers ?? [])
    expect(readers.length).toBeGreaterThan(0)
    once(readers.map(({ name }) => name))
  })
})
