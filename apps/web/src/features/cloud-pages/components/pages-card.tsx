import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import css from '../cloud-pages.module.css'
import { editorAt } from '../hooks.ts'

const SHOWN = 6
const HEIGHT = 148
const REREAD_MS = 60_000

/** The published pages that are looked at most, on the overview. */
export function PagesCard() {
  const { t } = useTranslation('cloud-pages')
  const read = useRead(
    'cloudPages.list',
    { query: { limit: SHOWN, state: 'published', sort: '-views' } },
    { enabled: useMay('cloudPages.list'), refetchInterval: every(REREAD_MS) },
  )
  return (
    <HomeCardFrame
      title={t('homeCard.title')}
      link={{ to: '/manage/user/center/cloudConfig', label: t('homeCard.all') }}
      of="cloudPages.list"
      read={read}
      height={HEIGHT}
      isEmpty={data => data.items.length === 0}
      empty={t('homeCard.empty')}
    >
      {({ items }) => (
        <ul className={css.homePages}>
          {items.map(page => (
            <li key={page.id}>
              <a
                href={`/page/${page.suffix}`}
                target="_blank"
                rel="noreferrer"
                aria-label={t('homeCard.look', { name: page.name })}
              >
                {page.cover ? (
                  <img src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(page.cover)}`} alt="" />
                ) : (
                  <span aria-hidden />
                )}
              </a>
              <Link to={editorAt(page.id)} title={page.name} dir="auto">
                {page.name}
              </Link>
              <small>{t('homeCard.views', { text: formatNumber(page.views) })}</small>
            </li>
          ))}
        </ul>
      )}
    </HomeCardFrame>
  )
}
