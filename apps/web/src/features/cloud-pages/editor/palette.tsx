import { drawn, ELEMENT_GROUPS, ELEMENT_KINDS, type ElementGroup, type ElementKind } from '@thingwright/scene'
import { Input } from 'antd'
import { memo, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Shapes } from '../../../ui/scene/shapes.tsx'
import css from './editor.module.css'

/** What a kind of element is called: its own name, and what it comes with in brackets. */
export function useKindName(): (kind: ElementKind) => string {
  const { t } = useTranslation('cloud-pages')
  return useMemo(
    () => kind => {
      const [first = '', ...rest] = kind.name.map(part => t(`el.${part}`))
      return rest.length === 0 ? first : t('nameWith', { name: first, with: rest.join(' ') })
    },
    [t],
  )
}

const SAMPLE = { value: 60, on: true, label: 'A', a: 3, b: 2, c: 1 }

const Kind = memo(function Kind({ kind, name, onAdd }: { kind: ElementKind; name: string; onAdd(kind: string): void }) {
  const shapes = drawn(kind.kind, SAMPLE, kind.w, kind.h)
  return (
    <button
      type="button"
      className={css.kind}
      draggable
      title={name}
      onDragStart={event => event.dataTransfer.setData('text/x-element', kind.kind)}
      onClick={() => onAdd(kind.kind)}
    >
      {shapes.length > 0 ? (
        <Shapes shapes={shapes} w={kind.w} h={kind.h} whole />
      ) : (
        <span className={css.kindMark} aria-hidden>
          {name.slice(0, 1)}
        </span>
      )}
      <span>{name}</span>
    </button>
  )
})

/** Every kind of element by groups, searched by its name; dragged onto the page or put into its middle by a click. */
export function Palette({ onAdd }: { onAdd(kind: string): void }) {
  const { t } = useTranslation('cloud-pages')
  const nameOf = useKindName()
  const [q, setQ] = useState('')
  const [open, setOpen] = useState<ReadonlySet<ElementGroup>>(new Set(['basic', 'text', 'tanks']))
  const wanted = q.trim().toLowerCase()
  const groups = useMemo(
    () =>
      ELEMENT_GROUPS.map(group => ({
        group,
        kinds: ELEMENT_KINDS.filter(
          kind =>
            kind.group === group &&
            (wanted === '' || nameOf(kind).toLowerCase().includes(wanted) || kind.kind.includes(wanted)),
        ),
      })).filter(({ kinds }) => kinds.length > 0),
    [wanted, nameOf],
  )
  return (
    <>
      <div className={css.search}>
        <Input.Search
          size="small"
          allowClear
          placeholder={t('searchKinds', { count: ELEMENT_KINDS.length })}
          aria-label={t('searchKinds', { count: ELEMENT_KINDS.length })}
          value={q}
          onChange={event => setQ(event.target.value)}
        />
      </div>
      <div className={css.scroll}>
        {groups.length === 0 && <p className={css.search}>{t('noKinds')}</p>}
        {groups.map(({ group, kinds }) => {
          const isOpen = wanted !== '' || open.has(group)
          return (
            <section key={group}>
              <button
                type="button"
                className={css.groupName}
                aria-expanded={isOpen}
                onClick={() =>
                  setOpen(
                    before =>
                      new Set(before.has(group) ? [...before].filter(each => each !== group) : [...before, group]),
                  )
                }
              >
                <span>{t(`elementGroups.${group}`)}</span>
                <span className={css.note}>{kinds.length}</span>
              </button>
              {isOpen && (
                <div className={css.kinds}>
                  {kinds.map(kind => (
                    <Kind key={kind.kind} kind={kind} name={nameOf(kind)} onAdd={onAdd} />
                  ))}
                </div>
              )}
            </section>
          )
        })}
      </div>
    </>
  )
}
