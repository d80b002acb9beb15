import { describe, expect, it } from 'vitest'
import { LIVE_TOPICS } from './live-topics.ts'
import type { ModuleFacts } from './module.ts'
import { MODULES } from './modules.ts'
import { BUILTIN_ROLES, NOT_FOR_API_KEYS, PERMISSIONS } from './permissions.ts'
import { WEB_ROUTES } from './web-routes.ts'

const FACTS: readonly ModuleFacts[] = MODULES
const known: readonly string[] = PERMISSIONS

describe('what modules say of themselves', () => {
  it('names no right, page or topic twice', () => {
    for (const names of [PERMISSIONS, WEB_ROUTES.map(({ path }) => path), LIVE_TOPICS.map(({ pattern }) => pattern)])
      expect(names).toEqual([...new Set(names)])
  })

  it('gives away its own rights only', () => {
    for (const { rights = [], roles = {}, notForApiKeys = [], ownersOwn = [] } of FACTS)
      expect(
        [...Object.values(roles).flat(), ...notForApiKeys, ...ownersOwn].filter(
          right => !(rights as readonly string[]).includes(right),
        ),
      ).toEqual([])
  })

  it('asks for rights that exist', () => {
    const asked = FACTS.flatMap(({ live = [] }) => live.map(({ permission }) => permission))
    expect(asked.filter(right => right !== 'signed-in' && !known.includes(right))).toEqual([])
    expect(NOT_FOR_API_KEYS.filter(right => !known.includes(right))).toEqual([])
  })

  it('keeps what belongs to the platform and to owners from the roles of a company', () => {
    const closed = /^(operator|menu|announcement):|^company:export$|^security:write$/
    for (const role of Object.values(BUILTIN_ROLES))
      expect((role.permissions as readonly string[]).filter(right => closed.test(right))).toEqual([])
  })

  it('lets each role see only pages that exist', () => {
    const paths = new Set(WEB_ROUTES.map(({ path }) => path))
    for (const { menuKeys } of Object.values(BUILTIN_ROLES))
      expect(menuKeys.filter(path => path !== '*' && !paths.has(path))).toEqual([])
  })
})
