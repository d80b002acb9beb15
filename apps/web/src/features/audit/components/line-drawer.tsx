import { Button, Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../audit.module.css'
import { useAuditWords } from '../audit-words.ts'
import { changesOf, MAX_FIELDS } from '../diff.ts'
import { objectAddress } from '../object-address.ts'
import { AddressText } from './address-text.tsx'
import { ResultTag } from './result-tag.tsx'

/** One line of the operation log: who, what, from where, and the object before and after, side by side. */
export function LineDrawer({
  id,
  onClose,
  onObject,
}: {
  id: string
  onClose: () => void
  /** Shows all lines of the same object. */
  onObject: (type: string, id: string) => void
}) {
  const { t } = useTranslation('audit')
  const words = useAuditWords()
  const line = useRead('audit.get', { params: { id } })
  const row = line.data
  const to = row ? objectAddress(row.objectType, row.objectId) : null
  return (
    <Drawer open size={720} title={row ? words.action(row.action, row.result) : t('details')} onClose={onClose}>
      {line.isError ? (
        <ErrorState error={line.error} onRetry={() => void line.refetch()} />
      ) : row === undefined ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : (
        <div className={css.stack} data-testid="audit-line">
          <Facts
            items={[
              { label: t('at'), value: <TimeText value={row.at} mode="absolute" /> },
              { label: t('resultTitle'), value: <ResultTag result={row.result} /> },
              {
                label: t('actor'),
                value: row.actorKind === 'system' ? `${t('system')} (${row.actorName})` : row.actorName,
              },
              { label: t('ip'), value: <AddressText ip={row.ip} place={row.place} /> },
              { label: t('client'), value: <span title={row.userAgent ?? ''}>{row.client || '–'}</span> },
              { label: t('action'), value: <CopyId value={row.action} /> },
              {
                label: t('object'),
                wide: true,
                value: (
                  <span className={css.objectLine}>
                    <span>
                      {words.objectType(row.objectType)} · <bdi>{row.objectName ?? row.objectId ?? '–'}</bdi>
                    </span>
                    {to && <Link to={to}>{t('openObject')}</Link>}
                    {row.objectId !== null && (
                      <Button type="link" size="small" onClick={() => onObject(row.objectType, row.objectId ?? '')}>
                        {t('sameObject')}
                      </Button>
                    )}
                  </span>
                ),
              },
              { label: t('requestId'), wide: true, value: row.requestId ? <CopyId value={row.requestId} /> : '–' },
              {
                label: t('link'),
                wide: true,
                value: row.link ? (
                  <span className={css.objectLine}>
                    <span>{t('linkPlace', { seq: formatNumber(row.link.seq) })}</span>
                    <CopyId value={row.link.hash} />
                  </span>
                ) : (
                  t('linkPending')
                ),
              },
            ]}
          />
          <Diff before={row.before} after={row.after} />
        </div>
      )}
    </Drawer>
  )
}

function Diff({ before, after }: { before: Record<string, unknown> | null; after: Record<string, unknown> | null }) {
  const { t } = useTranslation('audit')
  const [all, setAll] = useState(false)
  const { fields, cut } = changesOf(before, after)
  const same = fields.filter(field => field.kind === 'same').length
  const shown = all ? fields : fields.filter(field => field.kind !== 'same')
  if (fields.length === 0) return <p className={css.none}>{t('diff.nothing')}</p>
  return (
    <section aria-label={t('diff.title')}>
      <table className={css.diff}>
        <thead>
          <tr>
            <th scope="col">{t('diff.field')}</th>
            <th scope="col">{t('diff.before')}</th>
            <th scope="col">{t('diff.after')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(field => (
            <tr key={field.path} data-kind={field.kind}>
              <th scope="row">{field.path}</th>
              <td>{field.before === null ? <i>{t('diff.absent')}</i> : <span dir="auto">{field.before}</span>}</td>
              <td>{field.after === null ? <i>{t('diff.absent')}</i> : <span dir="auto">{field.after}</span>}</td>
            </tr>
          ))}
          {shown.length === 0 && (
            <tr>
              <td colSpan={3}>{t('diff.unchanged')}</td>
            </tr>
          )}
        </tbody>
      </table>
      <p className={css.none}>
        {cut && t('diff.cut', { max: MAX_FIELDS })}{' '}
        {same > 0 && (
          <Button type="link" size="small" onClick={() => setAll(!all)}>
            {all ? t('diff.hideSame') : t('diff.showSame', { count: same })}
          </Button>
        )}
      </p>
    </section>
  )
}
