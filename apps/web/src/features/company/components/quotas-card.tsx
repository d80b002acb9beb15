import type { UsageView } from '@thingwright/contracts/company.contract'
import { useTranslation } from 'react-i18next'
import { every } from '../../../lib/every.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import css from '../company.module.css'
import { UsageBar } from './usage-bar.tsx'

const HEIGHT = 208
const SHOWN = 5
const REREAD_MS = 60_000

/** What is used of each quota, those nearest to their end first, on the overview. */
export function QuotasCard() {
  const { t } = useTranslation('company')
  const read = useRead('account.usage', {}, { enabled: useMay('account.usage'), refetchInterval: every(REREAD_MS) })
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: '/admin/account?tab=usage', label: t('homeCard.details') }}
      of="account.usage"
      read={read}
      height={HEIGHT}
    >
      {({ items }) => (
        <div className={css.quotas}>
          {nearest(items).map(item => (
            <UsageBar key={item.kind} item={item} />
          ))}
        </div>
      )}
    </HomeCardFrame>
  )
}

const shareOf = ({ used, limit }: UsageView) => (limit === null || limit === 0 ? 0 : used / limit)

function nearest(items: readonly UsageView[]): UsageView[] {
  return items.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, SHOWN)
}
