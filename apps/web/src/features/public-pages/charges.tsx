import type {
  CatalogueItem,
  ExpansionSpec,
  PackSpec,
  PlanSpec,
  SimSpec,
} from '@thingwright/contracts/catalogue.contract'
import { CATALOGUE_KINDS } from '@thingwright/contracts/money.words'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatMoney, formatNumber } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useSession } from '../../lib/session.ts'
import { ErrorState } from '../../ui/states.tsx'
import css from './public-pages.module.css'

const WAYS = ['self', 'trial', 'hosted'] as const

/** What the platform sells and for how much; end users are told whom to ask, never a price. */
export function Charges() {
  const { t } = useTranslation('public-pages')
  const isEndUser = useSession(state => state.me?.kind === 'end_user')
  const read = useRead('catalogue.published', {}, { enabled: !isEndUser })
  if (isEndUser) return <p>{t('functions.askProvider')}</p>
  if (read.isError) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <div className={css.skeleton} aria-busy="true" />
  const items = read.data.items
  if (items.length === 0) return <Ways />
  return (
    <>
      <p>{t('functions.pricesText')}</p>
      {CATALOGUE_KINDS.map(kind => {
        const own = items.filter(item => item.kind === kind)
        return own.length === 0 ? null : <Goods key={kind} kind={kind} items={own} />
      })}
    </>
  )
}

/** Nothing is sold here: how it can be used all the same. */
function Ways() {
  const { t } = useTranslation('public-pages')
  return (
    <>
      <p>{t('functions.chargesText')}</p>
      <div className={css.tableScroll}>
        <table className={css.plain}>
          <thead>
            <tr>
              <th>{t('functions.way')}</th>
              <th>{t('functions.price')}</th>
              <th>{t('functions.contains')}</th>
            </tr>
          </thead>
          <tbody>
            {WAYS.map(way => (
              <tr key={way}>
                <th scope="row">{t(`functions.charge.${way}.way`)}</th>
                <td>{t(`functions.charge.${way}.price`)}</td>
                <td>{t(`functions.charge.${way}.contains`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Goods({ kind, items }: { kind: CatalogueItem['kind']; items: readonly CatalogueItem[] }) {
  const { t, i18n } = useTranslation('public-pages')
  const isZh = i18n.language.startsWith('zh')
  return (
    <section aria-labelledby={`goods-${kind}`} data-testid={`goods-${kind}`}>
      <h3 id={`goods-${kind}`}>{t(`functions.goods.${kind}`)}</h3>
      <div className={css.tableScroll}>
        <table className={css.plain}>
          <thead>
            <tr>
              <th>{t('functions.item')}</th>
              <th>{t('functions.price')}</th>
              <th>{t('functions.contains')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map(item => (
              <tr key={item.id}>
                <th scope="row">{isZh ? item.name : item.ename}</th>
                <td>{priceOf(t, item)}</td>
                <td>
                  {[...contentsOf(t, item), isZh ? item.text : item.etext].filter(Boolean).map(text => (
                    <div key={text}>{text}</div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function priceOf(t: TFunction<'public-pages'>, item: CatalogueItem): string {
  const price = formatMoney(item.priceFen)
  if (item.kind === 'expansion') return t('functions.perMonth', { price })
  if (item.kind !== 'plan' && item.kind !== 'sim') return price
  const { months } = item.spec as PlanSpec | SimSpec
  const of = months === 12 ? 'perYear' : months === 1 ? 'perMonth' : 'perMonths'
  return t(`functions.${of}`, { price, months })
}

function contentsOf(t: TFunction<'public-pages'>, item: CatalogueItem): string[] {
  const quota = (kind: string, limit: number | null) =>
    t('functions.quota', {
      name: t(`functions.quotas.${kind}`),
      limit: limit === null ? t('functions.noLimit') : kind === 'mediaBytes' ? formatBytes(limit) : formatNumber(limit),
    })
  switch (item.kind) {
    case 'plan':
      return Object.entries((item.spec as PlanSpec).quotas).map(([kind, limit]) => quota(kind, limit))
    case 'expansion': {
      const spec = item.spec as ExpansionSpec
      return [quota(spec.quota, spec.quantity)]
    }
    case 'sms':
    case 'voice': {
      const { units, gift, months } = item.spec as PackSpec
      return [
        t(`functions.units.${item.kind}`, { units: formatNumber(units) }),
        ...(gift > 0 ? [t('functions.gift', { units: formatNumber(gift) })] : []),
        t('functions.months', { months }),
      ]
    }
    case 'sim': {
      const { monthMb, cardFen } = item.spec as SimSpec
      return [
        t('functions.monthMb', { amount: formatNumber(monthMb) }),
        ...(cardFen > 0 ? [t('functions.cardFee', { price: formatMoney(cardFen) })] : []),
      ]
    }
  }
}
