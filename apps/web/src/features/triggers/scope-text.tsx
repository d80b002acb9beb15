import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import css from './triggers.module.css'

/** What a trigger watches: kind of scope, names, and how many devices that is now. */
export function ScopeText({ view }: { view: Pick<TriggerView, 'kind' | 'scope' | 'scopeNames' | 'devices'> }) {
  const { t } = useTranslation('triggers')
  if (view.kind === 'object') return <span>{t('source.whole')}</span>
  const kind = view.scope.productIds
    ? 'products'
    : view.scope.groupIds
      ? 'groups'
      : view.scope.tags
        ? 'tags'
        : 'devices'
  const names = view.scopeNames.map(name => name ?? t('unknown')).join(t('comma'))
  return (
    <span className={css.twoLines}>
      <span title={names} dir="auto">
        {names || '–'}
      </span>
      <small>
        {t(`scopeKind.${kind}`)} · {t('devicesCount', { count: view.devices, text: formatNumber(view.devices) })}
      </small>
    </span>
  )
}
