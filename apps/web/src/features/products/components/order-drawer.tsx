import { HolderOutlined } from '@ant-design/icons'
import { Button, Drawer } from 'antd'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { movedTo } from '../model/bulk-edit.ts'
import type { Feature } from '../model/model-edit.ts'
import css from '../products.module.css'
import own from './order-drawer.module.css'

/** The order of a list, by dragging or with Alt and the arrow keys. */
export function OrderDrawer({
  title,
  items,
  onDone,
  onClose,
}: {
  title: string
  items: readonly Feature[]
  onDone: (items: Feature[]) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const english = locale() === 'en'
  const [order, setOrder] = useState<readonly Feature[]>(items)
  const [over, setOver] = useState<number | null>(null)
  const dragged = useRef<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const press = (event: KeyboardEvent, at: number) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (step === 0) return
    event.preventDefault()
    const to = at + step
    if (to < 0 || to >= order.length) return
    if (event.altKey) setOrder(now => movedTo(now, at, step > 0 ? to + 1 : to))
    list.current?.querySelectorAll<HTMLElement>('li')[to]?.focus()
  }
  return (
    <Drawer
      open
      size={560}
      title={title}
      onClose={onClose}
      footer={
        <div className={css.drawerFoot}>
          <span className={css.footLeft}>{t('order.hint')}</span>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="primary" onClick={() => onDone([...order])}>
            {t('take')}
          </Button>
        </div>
      }
    >
      <ol ref={list} className={own.order} aria-label={title}>
        {order.map((item, at) => (
          <li
            key={item.identifier}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: moved with the keyboard
            tabIndex={0}
            draggable
            className={over === at ? own.orderOver : undefined}
            onKeyDown={event => press(event, at)}
            onDragStart={event => {
              dragged.current = at
              event.dataTransfer.effectAllowed = 'move'
            }}
            onDragOver={event => {
              event.preventDefault()
              setOver(at)
            }}
            onDragEnd={() => setOver(null)}
            onDrop={event => {
              event.preventDefault()
              const from = dragged.current
              dragged.current = null
              setOver(null)
              if (from !== null) setOrder(now => movedTo(now, from, from < at ? at + 1 : at))
            }}
          >
            <HolderOutlined aria-hidden />
            <span className={own.orderName} dir="auto">
              {nameOf(item, english)}
            </span>
            <code>{item.identifier}</code>
          </li>
        ))}
      </ol>
    </Drawer>
  )
}
