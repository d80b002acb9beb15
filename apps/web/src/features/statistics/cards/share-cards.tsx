import type { CARRIERS } from '@thingwright/contracts/sim-cards.words'
import type { DISTRIBUTIONS } from '@thingwright/contracts/statistics.words'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { useAppearance } from '../../../lib/appearance.ts'
import { formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { SERIES_COLOURS } from '../../../lib/tokens.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { useShares } from '../hooks.ts'
import css from '../statistics.module.css'

const HEIGHT = 208
const SHOWN = 5

export function ProductsCard() {
  const { t } = useTranslation('statistics')
  return <ShareCard by="product" title={t('products.title')} />
}

export function LinksCard() {
  const { t } = useTranslation('statistics')
  return <ShareCard by="linkType" title={t('links.title')} />
}

export function ProvincesCard() {
  const { t } = useTranslation('statistics')
  return <ShareCard by="province" title={t('provinces.title')} empty={t('provinces.empty')} />
}

export function VersionsCard() {
  const { t } = useTranslation('statistics')
  return <ShareCard by="firmware" title={t('versions.title')} empty={t('versions.empty')} />
}

export function CarriersCard() {
  const { t } = useTranslation('statistics')
  return <ShareCard by="carrier" title={t('carriers.title')} empty={t('carriers.empty')} />
}

type By = (typeof DISTRIBUTIONS)[number]
type Share = Reply<'statistics.distribution'>['items'][number]

/** Where the devices of a share are listed; null: nowhere by it. */
function addressOf(by: By, share: Share): string | null {
  if (by === 'product') return `/manage/device?productId=${share.id}`
  if (by === 'carrier') return share.name === 'cmcc' ? '/flowCard/CmccFlowCard' : '/flowCard/CtccFlowCard'
  return null
}

/** Devices that are online of all, by what they have in common; what is beyond the first few stands together. */
function ShareCard({ by, title, empty }: { by: By; title: string; empty?: string }) {
  const { t } = useTranslation('statistics')
  const mode = useAppearance(s => s.mode)
  const read = useShares(by)
  const nameOf = (item: Share) => {
    if (by === 'linkType') return t(`linkType.${item.linkType ?? 'mqtt'}`)
    if (by === 'carrier') return t(`carriers.${item.name as (typeof CARRIERS)[number]}`)
    if (by !== 'province') return item.name
    return (locale() === 'en' ? item.ename : item.name) || t('provinces.elsewhere')
  }
  return (
    <HomeCardFrame
      title={title}
      note={t('onlineOfAll')}
      of="statistics.distribution"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.items.length === 0}
      empty={empty ?? t('shareEmpty')}
    >
      {({ items }) => {
        const rest = items.slice(SHOWN)
        const largest = Math.max(1, ...items.map(item => item.devices))
        const rows = items.slice(0, SHOWN).map(item => ({
          key: item.id ?? item.name,
          name: nameOf(item),
          to: addressOf(by, item),
          devices: item.devices,
          online: item.online,
        }))
        if (rest.length > 0)
          rows.push({
            key: 'rest',
            name: t('others', { count: rest.length }),
            to: null,
            devices: rest.reduce((all, item) => all + item.devices, 0),
            online: rest.reduce((all, item) => all + item.online, 0),
          })
        return (
          <ul className={css.shares}>
            {rows.map(({ key, name, to, devices, online }, at) => (
              <li key={key}>
                <span className={css.shareHead}>
                  <span className={css.shareName} title={name}>
                    {to ? <Link to={to}>{name}</Link> : name}
                  </span>
                  <span className={css.shareCount}>
                    {formatNumber(online)} / {formatNumber(devices)}
                  </span>
                </span>
                <span className={css.shareBar} aria-hidden="true">
                  <i style={{ width: `${Math.min(100, (devices / largest) * 100)}%` }} />
                  <b
                    style={{
                      width: `${Math.min(100, (online / largest) * 100)}%`,
                      background: SERIES_COLOURS[mode][at % SERIES_COLOURS[mode].length],
                    }}
                  />
                </span>
              </li>
            ))}
          </ul>
        )
      }}
    </HomeCardFrame>
  )
}
