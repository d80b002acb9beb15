import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import type { TFunction } from 'i18next'

/** Words of the namespace `rights`. */
type Words = TFunction<'rights'>

/** A right in words, `device:write` → Devices: change. Words that have none yet stand for themselves. */
export function rightName(t: Words, right: string): string {
  const [resource = '', action = ''] = right.split(':')
  return t('rightOf', { resource: resourceName(t, resource), action: actionName(t, action) })
}

export function resourceName(t: Words, resource: string): string {
  return t(`resource.${resource}` as 'resource.device', { defaultValue: resource })
}

export function actionName(t: Words, action: string): string {
  return t(`action.${action}` as 'action.read', { defaultValue: action })
}

export function scopeName(t: Words, scope: RoleDataScope): string {
  if (scope.kind === 'groups') return t('scope.groupsOf', { count: scope.groupIds.length })
  if (scope.kind === 'products') return t('scope.productsOf', { count: scope.productIds.length })
  return t(`scope.${scope.kind}`)
}

/** Whether a choice of groups or products was left empty. */
export function scopeIsEmpty(scope: RoleDataScope): boolean {
  return (
    (scope.kind === 'groups' && scope.groupIds.length === 0) ||
    (scope.kind === 'products' && scope.productIds.length === 0)
  )
}
