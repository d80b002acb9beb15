import { allWords, heardWords } from '@thingwright/contracts/module-words'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import type { RoleDataScope, RoleView } from '@thingwright/contracts/roles.contract'
import type { Locale } from '../../lib/context.ts'
import words from './right-words.json' with { type: 'json' }
import { permissionsOf } from './roles.rights.ts'

const named = { zh: allWords('zh'), en: allWords('en') }
const heard = { resource: heardWords('resource'), action: heardWords('action') }

/** Inside a sentence a word begins small, unless it is an abbreviation. */
const small = (word: string) => (/^[A-Z][a-z]/.test(word) ? `${word[0]!.toLowerCase()}${word.slice(1)}` : word)

/** A right in words: `device:delete` is "devices: delete". */
export function rightName(locale: Locale, right: string): string {
  const [resource = '', action = ''] = right.split(':')
  return words[locale].right
    .replace('{resource}', resourceName(locale, resource))
    .replace('{action}', actionName(locale, action))
}

/** What a right is about, in words; an unknown one stands for itself. */
export const resourceName = (locale: Locale, resource: string): string =>
  small(named[locale].resource[resource] ?? resource)

/** What a right lets do, in words; an unknown one stands for itself. */
export const actionName = (locale: Locale, action: string): string => small(named[locale].action[action] ?? action)

/** A data scope in words. */
export function scopeName(locale: Locale, scope: RoleDataScope): string {
  const count =
    scope.kind === 'groups' ? scope.groupIds.length : scope.kind === 'products' ? scope.productIds.length : 0
  return words[locale].scope[scope.kind].replace('{count}', String(count))
}

/** The rights of a role of a company, `*` opened up. */
export const rightsOf = (role: Pick<RoleView, 'permissions'>): ReadonlySet<Permission> => permissionsOf([role], false)

const known = (right: string): Permission | null => PERMISSIONS.find(permission => permission === right) ?? null

/** Whether the word stands in the text: Latin words whole, Chinese ones anywhere. */
function stands(text: string, word: string): boolean {
  const at = text.indexOf(word)
  if (at < 0 || !/^[a-z]/.test(word)) return at >= 0
  return new RegExp(`(^|[^a-z])${word}([^a-z]|$)`, 'i').test(text)
}

/**
 * The right that somebody means: `device:delete`, "delete devices", "invite somebody"; null: not understood. Where an
 * action has no right of its own, the one it belongs to (members are removed with member:write).
 */
export function readRight(said: string): Permission | null {
  const text = said.normalize('NFKC').trim().toLowerCase()
  const exact = known(text.replace(/\s/g, ''))
  if (exact) return exact
  const resources = heard.resource.filter(([, said]) => said.split('|').some(word => stands(text, word)))
  const actions = heard.action.filter(([, said]) => said.split('|').some(word => stands(text, word)))
  // "Upgrade devices" is of the firmware, "export data of devices" of the telemetry: the list has the narrower first.
  for (const [resource] of resources)
    for (const [action] of actions) {
      const right = known(`${resource}:${action}`) ?? (action === 'delete' ? known(`${resource}:write`) : null)
      if (right) return right
    }
  const [first] = resources
  if (!first || actions.length > 0) return null
  return known(`${first[0]}:read`)
}
