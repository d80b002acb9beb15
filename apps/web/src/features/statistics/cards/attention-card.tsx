import type { AttentionItem } from '@thingwright/contracts/statistics.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useAttention } from '../hooks.ts'
import css from '../statistics.module.css'

const ROWS = 5
const ROW = 36
/** The shapes of alarm levels say how bad it is. */
const LEVEL = { critical: 5, warning: 3, info: 1 } as const

/** What somebody should look at, the worst first, each with the way there. */
export function AttentionCard() {
  const { t } = useTranslation('statistics')
  const read = useAttention()
  const count = read.data?.items.length ?? 0
  return (
    <HomeCardFrame
      title={t('attention.title')}
      mark={count > 0 && <span className={css.count}>{formatNumber(count)}</span>}
      of="statistics.attention"
      read={read}
      height={ROWS * ROW}
      isEmpty={data => data.items.length === 0}
      empty={t('attention.empty')}
    >
      {({ items }) => (
        <ul className={css.rows} style={{ maxHeight: ROWS * ROW }}>
          {items.map((item, at) => (
            <Row key={`${item.kind}${item.link}${at}`} item={item} first={at === 0} />
          ))}
        </ul>
      )}
    </HomeCardFrame>
  )
}

function Row({ item, first }: { item: AttentionItem; first: boolean }) {
  const { t } = useTranslation('statistics')
  const text = t(`attention.kind.${item.kind}`, { ...item.params, count: item.count, many: formatNumber(item.count) })
  return (
    <li>
      <AlarmTag level={LEVEL[item.level]} word={false} />
      <span className={css.rowText} title={text}>
        {text}
      </span>
      {item.at !== null && (
        <span className={css.rowTime}>
          <TimeText value={item.at} />
        </span>
      )}
      <Link className={first ? css.actFirst : css.act} to={item.link}>
        {t(`attention.act.${item.kind}`)}
      </Link>
    </li>
  )
}
