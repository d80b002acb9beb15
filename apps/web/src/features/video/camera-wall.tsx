import { CloseOutlined } from '@ant-design/icons'
import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { Button, Segmented, Select, Skeleton } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { LivePlayer } from './player/live-player.tsx'
import css from './video.module.css'
import type { VideoTabs } from './video-page.tsx'

const SCREENS = [1, 4, 9] as const
const MOST = 9
const NOBODY = '-'

/** Several live pictures beside each other; which ones stands in the address. */
export function CameraWall({ tabs }: { tabs: VideoTabs }) {
  const { t } = useTranslation('video')
  const [params, setParams] = useSearchParams()
  const allowed = useMay('videoChannels.list')
  const screens = SCREENS.find(each => String(each) === params.get('screens')) ?? 4
  const asked = params.get('show')
  // Nothing chosen: those that are online, by name.
  const first = useRead(
    'videoChannels.list',
    { query: { state: 'online', limit: MOST } },
    { enabled: allowed && asked === null, staleTime: 60_000 },
  )
  const any = useRead('videoChannels.list', { query: { limit: 1 } }, { enabled: allowed })
  const shown = asked === null ? (first.data?.items ?? []).map(({ id }) => id) : asked.split(',')
  const change = (key: 'screens' | 'show', value: string) =>
    setParams(
      now => {
        const next = new URLSearchParams(now)
        next.set(key, value)
        return next
      },
      { replace: true },
    )
  const put = (at: number, id: string) => {
    const next = Array.from({ length: MOST }, (_, each) => (each === at ? id : shown[each] || NOBODY))
    change('show', next.join(','))
  }
  const body = !allowed ? (
    <NoPermissionState of="videoChannels.list" />
  ) : any.isError && !any.data ? (
    <ErrorState error={any.error} onRetry={() => void any.refetch()} />
  ) : any.isPending || (asked === null && first.isPending) ? (
    <Skeleton active paragraph={{ rows: 10 }} />
  ) : any.data?.items.length === 0 ? (
    <EmptyState title={t('emptyTitle')} description={t('wall.emptyText')} />
  ) : (
    <div className={css.wall} data-screens={screens}>
      {Array.from({ length: screens }, (_, at) => {
        const id = shown[at]
        return id && id !== NOBODY ? (
          <Screen key={`${at}/${id}`} id={id} sub={screens > 1} onClose={() => put(at, NOBODY)} />
        ) : (
          <FreeScreen key={at} at={at} onChoose={chosen => put(at, chosen)} />
        )
      })}
    </div>
  )
  return (
    <div className={css.page}>
      <PageHeader title={t('title')} description={t('wall.lead')} />
      <section className={css.card} aria-label={t('tab.wall')}>
        <TabBar
          label={t('title')}
          items={tabs.items}
          active={tabs.active}
          onChange={tabs.onChange}
          extra={
            <Segmented
              aria-label={t('wall.screens')}
              value={screens}
              options={SCREENS.map(value => ({ value, label: t('wall.count', { count: value }) }))}
              onChange={value => change('screens', String(value))}
            />
          }
        />
        <div className={css.cardBody}>{body}</div>
      </section>
    </div>
  )
}

/** One picture of the wall. Several at once are asked for in the smaller size. */
function Screen({ id, sub, onClose }: { id: string; sub: boolean; onClose: () => void }) {
  const { t } = useTranslation('video')
  const read = useRead('videoChannels.get', { params: { id } }, { staleTime: 15_000 })
  const channel: VideoChannelView | undefined = read.data
  return (
    <figure className={css.screen}>
      {channel ? (
        <LivePlayer channel={channel} quality={sub ? 'sub' : 'main'} />
      ) : (
        <div className={css.free}>{read.isError ? t('gone') : <Skeleton active title={false} />}</div>
      )}
      <figcaption className={css.screenName}>
        <span className={css.cut} title={channel?.name ?? ''} dir="auto">
          {channel?.name ?? '–'}
        </span>
        <Button
          type="text"
          size="small"
          aria-label={t('wall.close', { name: channel?.name ?? '' })}
          icon={<CloseOutlined aria-hidden />}
          onClick={onClose}
        />
      </figcaption>
    </figure>
  )
}

function FreeScreen({ at, onChoose }: { at: number; onChoose: (id: string) => void }) {
  const { t } = useTranslation('video')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const { data, isFetching } = useRead(
    'videoChannels.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { keep: true, staleTime: 10_000 },
  )
  return (
    <div className={css.free}>
      <Select
        className={css.choice ?? ''}
        aria-label={t('wall.choose', { screen: at + 1 })}
        placeholder={t('wall.placeholder')}
        loading={isFetching}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
        options={(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={null}
        onChange={(id: string | null) => {
          if (id) onChoose(id)
        }}
      />
    </div>
  )
}
