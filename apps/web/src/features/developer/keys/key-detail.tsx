import type { ApiKeyView } from '@thingwright/contracts/developer.contract'
import { Drawer } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { rightName, scopeName } from '../../../ui/rights/right-words.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../developer.module.css'
import { KeyState } from './key-state.tsx'
import own from './keys.module.css'

/** Everything about one key except its text. */
export function KeyDetail({ apiKey, onClose }: { apiKey: ApiKeyView; onClose: () => void }) {
  const { t } = useTranslation('developer')
  const { t: words } = useTranslation('rights')
  const effective = new Set(apiKey.effectiveScopes)
  return (
    <Drawer open size={560} title={apiKey.name} onClose={onClose}>
      <Facts
        items={[
          {
            label: t('keys.stateTitle'),
            value: (
              <>
                <KeyState apiKey={apiKey} />
                <div className={css.quiet}>{t(`keys.stateText.${apiKey.state}`)}</div>
              </>
            ),
            wide: true,
          },
          ...(apiKey.description === ''
            ? []
            : [{ label: t('keys.description'), value: <span dir="auto">{apiKey.description}</span>, wide: true }]),
          { label: t('keys.prefix'), value: <CopyId value={apiKey.prefix} /> },
          { label: t('keys.environment'), value: t(`keys.env.${apiKey.environment}`) },
          {
            label: t('keys.scopes'),
            wide: true,
            value: (
              <ul className={css.chips}>
                {apiKey.scopes.map(right => (
                  <li
                    key={right}
                    className={effective.has(right) ? undefined : css.struck}
                    title={effective.has(right) ? right : t('keys.notEffective')}
                  >
                    {rightName(words, right)}
                  </li>
                ))}
              </ul>
            ),
          },
          { label: t('keys.dataScope'), value: scopeName(words, apiKey.dataScope) },
          {
            label: t('keys.networks'),
            value: apiKey.networks.length === 0 ? t('keys.everywhere') : apiKey.networks.join(', '),
          },
          {
            label: t('keys.rate'),
            value: `${formatNumber(apiKey.requestsPerMinute)} ${t('keys.rateUnit')}`,
          },
          {
            label: t('keys.expires'),
            value: apiKey.expiresAt === null ? t('keys.never') : formatDateTime(apiKey.expiresAt),
          },
          {
            label: t('keys.lastUsed'),
            value: (
              <>
                <TimeText value={apiKey.lastUsedAt} fallback={t('keys.neverUsed')} />
                {apiKey.lastUsedIp && <span className={css.quiet}> {apiKey.lastUsedIp}</span>}
              </>
            ),
          },
          {
            label: t('keys.lastRefusal'),
            value: apiKey.lastRefusal ? (
              <>
                <TimeText value={apiKey.lastRefusal.at} />{' '}
                <span className={css.quiet}>
                  {apiKey.lastRefusal.code} · {apiKey.lastRefusal.ip}
                </span>
              </>
            ) : (
              '–'
            ),
          },
          ...(apiKey.previous
            ? [
                {
                  label: t('keys.previous'),
                  value: t('keys.previousUntil', {
                    prefix: apiKey.previous.prefix,
                    until: formatDateTime(apiKey.previous.validUntil),
                  }),
                  wide: true,
                },
              ]
            : []),
          {
            label: t('keys.madeBy'),
            value: (
              <span dir="auto" title={apiKey.madeBy.username}>
                {apiKey.madeBy.displayName}
              </span>
            ),
          },
          { label: t('keys.createdAt'), value: formatDateTime(apiKey.createdAt) },
          { label: t('keys.rotatedAt'), value: formatDateTime(apiKey.rotatedAt) },
        ]}
      />
      <p className={own.drawerFoot}>
        <Link to={`?tab=calls&key=${apiKey.id}`}>{t('keys.toCalls')}</Link>
      </p>
    </Drawer>
  )
}
