import type { AuditView } from '@thingwright/contracts/audit.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../audit.module.css'
import { useAuditWords } from '../audit-words.ts'
import { objectAddress } from '../object-address.ts'

const ROWS = 5
/** Some are left out: a sign-in changes nothing. */
const READ = 30
const ROW = 36
const REREAD_MS = 30_000

const changesOf = (lines: readonly AuditView[]) =>
  lines.filter(line => !line.action.startsWith('session.')).slice(0, ROWS)

/** What people changed last, on the overview. */
export function RecentChangesCard() {
  const { t } = useTranslation('audit')
  const words = useAuditWords()
  const read = useRead(
    'audit.list',
    { query: { limit: READ } },
    { enabled: useMay('audit.list'), refetchInterval: every(REREAD_MS) },
  )
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: '/admin/action', label: t('title') }}
      of="audit.list"
      read={read}
      height={ROWS * ROW}
      isEmpty={data => changesOf(data.items).length === 0}
      empty={t('emptyText')}
    >
      {({ items }) => (
        <ul className={css.recent}>
          {changesOf(items).map(line => {
            const said = `${words.action(line.action, line.result)}${line.objectName ? `: ${line.objectName}` : ''}`
            const address = objectAddress(line.objectType, line.objectId)
            return (
              <li key={line.id}>
                <span className={css.recentText} title={`${line.actorName} ${said}`}>
                  <b>{line.actorName.startsWith('system:') ? t('system') : line.actorName}</b>{' '}
                  {address ? <Link to={address}>{said}</Link> : said}
                </span>
                <span className={css.recentTime}>
                  <TimeText value={line.at} />
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </HomeCardFrame>
  )
}
