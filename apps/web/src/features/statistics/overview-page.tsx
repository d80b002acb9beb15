import { Button, DatePicker, Segmented, Tooltip } from 'antd'
import dayjs from 'dayjs'
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../../lib/format.ts'
import { allHomeCards, type HomeCardProps, type HomeSpan, type PlacedCard } from '../../lib/home-cards.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { ArrangeBar, ArrangeTools, HiddenCards } from './arrange.tsx'
import { useFacts } from './hooks.ts'
import { ArrangeIcon, FullScreenIcon, RefreshIcon } from './icons.tsx'
import { SPANS, type SpanName, useSpan } from './overview-span.ts'
import css from './statistics.module.css'
import { useArrangement } from './use-arrangement.ts'

/** How a company is doing: the first page that its people see. */
export function OverviewPage() {
  const { t } = useTranslation('statistics')
  const [cards, setCards] = useState<readonly PlacedCard[]>([])
  useEffect(() => {
    let here = true
    void allHomeCards().then(found => here && setCards(found))
    return () => {
      here = false
    }
  }, [])
  const { name, span, choose, zoom } = useSpan()
  const facts = useFacts()
  const cache = useCache()
  const page = useRef<HTMLDivElement>(null)
  const [arranging, setArranging] = useState(false)
  const arrangement = useArrangement(cards)
  const takenAt = facts.data?.takenAt
  const passing = arrangement.shown.filter(card => card.passing)
  const placed = arrangement.shown.slice(passing.length)
  const { hide } = arrangement
  const latestHide = useRef(hide)
  latestHide.current = hide
  const onHide = useCallback((key: string) => latestHide.current(key), [])
  const refresh = () => void cache.touch('statistics', 'audit.list', 'account.usage', 'otaCampaigns.list')
  const fullScreen = () =>
    void (document.fullscreenElement ? document.exitFullscreen() : page.current?.requestFullscreen())
  return (
    <div ref={page} className={css.page} data-testid="overview">
      <PageHeader
        title={t('title')}
        extra={takenAt && <span className={css.taken}>{t('takenAt', { time: formatClock(takenAt) })}</span>}
        actions={
          <>
            <Segmented<SpanName | 'own'>
              aria-label={t('span.label')}
              value={name ?? 'own'}
              options={[
                ...(Object.keys(SPANS) as SpanName[]).map(value => ({ value, label: t(`span.${value}`) })),
                { value: 'own' as const, label: t('span.own') },
              ]}
              onChange={value => (value === 'own' ? zoom(span.from, span.to) : choose(value))}
            />
            {name === null && (
              <DatePicker.RangePicker
                showTime={{ format: 'HH:mm' }}
                format="YYYY-MM-DD HH:mm"
                allowClear={false}
                getPopupContainer={() => page.current ?? document.body}
                value={[dayjs(span.from), dayjs(span.to)]}
                disabledDate={day => day.isAfter(dayjs().endOf('day'))}
                onChange={moments => {
                  const [from, to] = [moments?.[0]?.valueOf(), moments?.[1]?.valueOf()]
                  if (from !== undefined && to !== undefined) zoom(from, to)
                }}
              />
            )}
            <Tool label={t('refresh')} icon={<RefreshIcon />} onClick={refresh} />
            <Tool
              label={t('arrange.open')}
              icon={<ArrangeIcon />}
              pressed={arranging}
              onClick={() => setArranging(now => !now)}
            />
            <Tool label={t('fullScreen')} icon={<FullScreenIcon />} onClick={fullScreen} />
          </>
        }
      />
      {arranging && <ArrangeBar onReset={arrangement.reset} onDone={() => setArranging(false)} />}
      {passing.map(card => (
        <CardOf key={card.key} card={card} span={span} onHide={onHide} />
      ))}
      <div className={css.grid}>
        {placed.map((card, at) => (
          <div key={card.key} className={css.place} data-width={card.width} data-card={card.key}>
            {arranging && (
              <ArrangeTools
                card={card}
                at={at}
                last={placed.length - 1}
                onMove={(key, to) => arrangement.move(key, to + passing.length)}
                onHide={arrangement.hide}
              />
            )}
            <CardOf card={card} span={span} onHide={onHide} />
          </div>
        ))}
      </div>
      {arranging && arrangement.hidden.length > 0 && (
        <HiddenCards cards={arrangement.hidden} onShow={arrangement.show} />
      )}
    </div>
  )
}

function Tool({
  label,
  icon,
  pressed,
  onClick,
}: {
  label: string
  icon: React.ReactNode
  pressed?: boolean
  onClick: () => void
}) {
  return (
    <Tooltip title={label}>
      <Button
        aria-label={label}
        icon={icon}
        onClick={onClick}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      />
    </Tooltip>
  )
}

const loaded = new Map<string, React.LazyExoticComponent<React.ComponentType<HomeCardProps>>>()

function componentOf(card: PlacedCard) {
  const known = loaded.get(card.key) ?? lazy(async () => ({ default: (await card.load()).Card }))
  loaded.set(card.key, known)
  return known
}

const CardOf = memo(function CardOf({
  card,
  span,
  onHide,
}: {
  card: PlacedCard
  span: HomeSpan
  onHide: (key: string) => void
}) {
  const Card = useMemo(() => componentOf(card), [card])
  const wait = useCallback((element: HTMLDivElement | null) => element?.setAttribute('aria-busy', 'true'), [])
  const hide = useCallback(() => onHide(card.key), [onHide, card.key])
  return (
    <Suspense fallback={card.passing ? null : <div ref={wait} className={css.coming} data-width={card.width} />}>
      <Card span={span} onHide={hide} />
    </Suspense>
  )
})
