import type { NoticeView } from '@thingwright/contracts/notifications.contract'
import { Button, Drawer } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { locale } from '../../lib/i18n.ts'
import { ownPath } from '../../lib/navigation.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { usePages } from '../../lib/server-state/use-pages.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './notifications.module.css'

const PAGE = 20

/** The inbox: what the console has told this person, all of it or the unread. */
export function InboxDrawer({ unread, onClose }: { unread: number; onClose: () => void }) {
  const { t } = useTranslation('notifications')
  const navigate = useNavigate()
  const [shown, setShown] = useState<'all' | 'unread'>('all')
  const unreadOnly = shown === 'unread'
  const list = usePages('notifications.inbox', { query: { limit: PAGE, ...(unreadOnly ? { unread: '1' } : {}) } })
  const read = useAct('notifications.read', { always: true })
  const readAll = useAct('notifications.readAll', { always: true })
  const remove = useAct('notifications.remove', { always: true })
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  const open = (notice: NoticeView) => {
    if (notice.readAt === null) void read.run({ params: { id: notice.id } })
    const target = ownPath(notice.link)
    if (target === null) return
    onClose()
    void navigate(target)
  }
  return (
    <Drawer
      open
      size={440}
      title={t('title')}
      onClose={onClose}
      styles={{ body: { padding: 0 } }}
      extra={
        <Button type="link" disabled={unread === 0} loading={readAll.pending} onClick={() => void readAll.run()}>
          {t('readAll')}
        </Button>
      }
    >
      <TabBar
        label={t('title')}
        active={shown}
        onChange={key => setShown(key as 'all' | 'unread')}
        items={[
          { key: 'all', label: t('all') },
          { key: 'unread', label: unread > 0 ? t('unreadCount', { count: unread }) : t('unread') },
        ]}
      />
      {list.isPending && (
        <div className={css.bones} aria-busy="true" role="status" aria-label={t('loading')}>
          {Array.from({ length: 5 }, (_, index) => (
            <i key={index} />
          ))}
        </div>
      )}
      {list.isError && items.length === 0 && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && (
        <EmptyState
          title={t(unreadOnly ? 'noneUnread' : 'none')}
          description={t('noneText')}
          action={unreadOnly ? <Button onClick={() => setShown('all')}>{t('showAll')}</Button> : undefined}
        />
      )}
      <ul className={css.list}>
        {items.map(notice => (
          <Item
            key={notice.id}
            notice={notice}
            onOpen={() => open(notice)}
            onRemove={() => void remove.run({ params: { id: notice.id } })}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className={css.more}>
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      )}
    </Drawer>
  )
}

function Item({ notice, onOpen, onRemove }: { notice: NoticeView; onOpen: () => void; onRemove: () => void }) {
  const { t } = useTranslation('notifications')
  const title = notice.title[locale()] || notice.title.zh
  const body = notice.text[locale()] || notice.text.zh
  const isNew = notice.readAt === null
  return (
    <li className={`${css.item} ${isNew ? css.new : ''}`} data-testid="inbox-notice">
      <span className={css.level} data-level={notice.level} title={t(`level.${notice.level}`)}>
        <span className={css.hidden}>{t(`level.${notice.level}`)}</span>
      </span>
      <div className={css.words}>
        <button type="button" className={css.open} onClick={onOpen}>
          <span className={css.title} dir="auto">
            {title}
          </span>
          {isNew && <span className={css.hidden}>{t('unread')}</span>}
          {body !== '' && (
            <span className={css.text} dir="auto">
              {body}
            </span>
          )}
        </button>
        <span className={css.when}>
          <TimeText value={notice.createdAt} />
          {notice.link !== null && <span aria-hidden="true">{t('hasLink')}</span>}
        </span>
      </div>
      <button
        type="button"
        className={css.remove}
        aria-label={t('remove', { title })}
        title={t('removeShort')}
        onClick={onRemove}
      >
        <svg width="10" height="10" viewBox="0 0 10 10" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
          <path d="m1 1 8 8m0-8-8 8" />
        </svg>
      </button>
    </li>
  )
}
