import { useTranslation } from 'react-i18next'
import { formatDate, formatMoney, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { ASSETS } from '../addresses.ts'
import css from '../money.module.css'
import { nameOf } from '../words.ts'

const HEIGHT = 180

/** Balance, plan and what is left of messages and calls, on the overview. */
export function MoneyCard() {
  const { t } = useTranslation('money')
  const read = useRead('purchaseOrders.assets', {}, { enabled: useMay('purchaseOrders.assets') })
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: ASSETS, label: t('homeCard.all') }}
      of="purchaseOrders.assets"
      read={read}
      height={HEIGHT}
      isEmpty={() => false}
      empty=""
    >
      {({ wallet, plan, term, units }) => (
        <div>
          <p className={css.big}>{formatMoney(wallet.availableFen)}</p>
          <p className={css.muted}>
            {plan ? nameOf(plan) : t(`term.${term.status}`)}
            {term.expiresAt && ` · ${t('assets.until', { date: formatDate(term.expiresAt) })}`}
          </p>
          <p className={css.muted}>
            {units.map(unit => `${t(`kind.${unit.kind}`)} ${formatNumber(unit.left)}`).join(' · ')}
          </p>
        </div>
      )}
    </HomeCardFrame>
  )
}
