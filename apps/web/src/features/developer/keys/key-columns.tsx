import type { ApiKeyView } from '@thingwright/contracts/developer.contract'
import type { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { scopeName } from '../../../ui/rights/right-words.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../developer.module.css'
import { KeyState } from './key-state.tsx'
import own from './keys.module.css'

type T<N extends string> = ReturnType<typeof useTranslation<N>>['t']

export function keyColumns(
  t: T<'developer'>,
  words: T<'rights'>,
  open: (apiKey: ApiKeyView) => void,
): ListColumn<ApiKeyView>[] {
  return [
    {
      key: 'name',
      title: t('keys.name'),
      minWidth: 220,
      required: true,
      sortKey: 'name',
      render: apiKey => (
        <span className={own.two}>
          <button type="button" className={css.nameLink} title={apiKey.name} dir="auto" onClick={() => open(apiKey)}>
            {apiKey.name}
          </button>
          <small>
            {apiKey.environment === 'test' && <span className={own.before}>{t('keys.testKey')}</span>}
            <CopyId value={apiKey.prefix} quiet />
          </small>
        </span>
      ),
      csv: apiKey => apiKey.name,
    },
    {
      key: 'state',
      title: t('keys.stateTitle'),
      width: 116,
      render: apiKey => <KeyState apiKey={apiKey} />,
      csv: apiKey => t(`keys.state.${apiKey.state}`),
    },
    {
      key: 'environment',
      title: t('keys.environment'),
      width: 112,
      initiallyHidden: true,
      render: apiKey => t(`keys.env.${apiKey.environment}`),
      csv: apiKey => t(`keys.env.${apiKey.environment}`),
    },
    {
      key: 'scopes',
      title: t('keys.scopes'),
      width: 92,
      rank: 1,
      align: 'right',
      render: apiKey => (
        <span title={apiKey.scopes.join('\n')}>
          {formatNumber(apiKey.effectiveScopes.length)}
          {apiKey.effectiveScopes.length < apiKey.scopes.length && (
            <span className={css.quiet}> / {formatNumber(apiKey.scopes.length)}</span>
          )}
        </span>
      ),
      csv: apiKey => apiKey.scopes.join(' '),
    },
    {
      key: 'dataScope',
      title: t('keys.dataScope'),
      width: 112,
      rank: 2,
      render: apiKey => scopeName(words, apiKey.dataScope),
      csv: apiKey => scopeName(words, apiKey.dataScope),
    },
    {
      key: 'lastUsedAt',
      title: t('keys.lastUsed'),
      width: 124,
      sortKey: 'lastUsedAt',
      render: apiKey => <TimeText value={apiKey.lastUsedAt} fallback={t('keys.neverUsed')} />,
      csv: apiKey => formatDateTime(apiKey.lastUsedAt),
    },
    {
      key: 'expiresAt',
      title: t('keys.expires'),
      width: 124,
      sortKey: 'expiresAt',
      render: apiKey => <TimeText value={apiKey.expiresAt} fallback={t('keys.never')} />,
      csv: apiKey => formatDateTime(apiKey.expiresAt),
    },
    {
      key: 'madeBy',
      title: t('keys.madeBy'),
      width: 120,
      initiallyHidden: true,
      render: apiKey => (
        <span title={apiKey.madeBy.username} dir="auto">
          {apiKey.madeBy.displayName}
        </span>
      ),
      csv: apiKey => apiKey.madeBy.username,
    },
    {
      key: 'createdAt',
      title: t('keys.createdAt'),
      width: 124,
      sortKey: 'createdAt',
      initiallyHidden: true,
      render: apiKey => <TimeText value={apiKey.createdAt} />,
      csv: apiKey => formatDateTime(apiKey.createdAt),
    },
  ]
}
