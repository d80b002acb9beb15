import {
  describeType,
  type Property,
  type StorePolicy,
  type ThingEvent,
  type ThingModel,
  type ThingService,
} from '@thingwright/thing-model'
import type { TFunction } from 'i18next'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { SearchField } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import type { Feature, FeatureList } from '../model/model-edit.ts'
import css from '../products.module.css'

interface Line {
  item: Feature
  index: number
}

/** The properties, events or services of a draft, in their order. */
export function FeatureTable({
  list,
  model,
  marks,
  editable,
  onEdit,
  onDuplicate,
  onMove,
  onRemove,
  selection,
  tools,
}: {
  list: FeatureList
  model: ThingModel
  /** What is new or changed against the published model. */
  marks: ReadonlyMap<string, 'added' | 'changed'>
  editable: boolean
  onEdit: (index: number) => void
  onDuplicate: (index: number) => void
  onMove: (index: number, by: -1 | 1) => void
  onRemove: (index: number) => void
  /** Buttons above the table. */
  tools?: ReactNode
  /** Identifiers chosen for a change of many. */
  selection?: { chosen: ReadonlySet<string>; toggle: (identifiers: readonly string[], on: boolean) => void }
}) {
  const { t } = useTranslation('products')
  const english = locale() === 'en'
  const [needle, setNeedle] = useState('')
  const all = model[list].length
  const rows = useMemo(() => {
    const lines = (model[list] as Feature[]).map((item, index) => ({ item, index }))
    const wanted = needle.trim().toLowerCase()
    if (wanted === '') return lines
    return lines.filter(({ item }) =>
      [item.identifier, item.name, item.ename, (item as Property).group].some(word =>
        word?.toLowerCase().includes(wanted),
      ),
    )
  }, [model, list, needle])
  const selected = useMemo(
    () =>
      selection && {
        selected: new Map(
          rows.filter(line => selection.chosen.has(line.item.identifier)).map(line => [keyOf(line), line]),
        ),
        toggle: (lines: readonly Line[], on: boolean) =>
          selection.toggle(
            lines.map(line => line.item.identifier),
            on,
          ),
      },
    [selection, rows],
  )
  const columns = useMemo<ListColumn<Line>[]>(() => {
    const name: ListColumn<Line> = {
      key: 'name',
      title: t('featureName'),
      minWidth: 180,
      render: ({ item }) => <NameCell name={nameOf(item, english)} id={item.identifier} />,
    }
    const mark: ListColumn<Line> = {
      key: 'mark',
      title: t('change'),
      width: 84,
      render: ({ item }) => {
        const found = marks.get(`${list}/${item.identifier}`)
        return found ? <StatusTag kind={found === 'added' ? 'success' : 'warning'}>{t(`mark.${found}`)}</StatusTag> : ''
      },
    }
    if (list === 'events')
      return [
        name,
        {
          key: 'level',
          title: t('level'),
          width: 104,
          render: line => <Level level={(line.item as ThingEvent).level} />,
        },
        {
          key: 'params',
          title: t('params'),
          minWidth: 180,
          render: line => paramNames((line.item as ThingEvent).params),
        },
        mark,
      ]
    if (list === 'services')
      return [
        name,
        {
          key: 'call',
          title: t('callType'),
          width: 108,
          rank: 1,
          render: line => t((line.item as ThingService).async ? 'async' : 'sync'),
        },
        {
          key: 'input',
          title: t('input'),
          minWidth: 128,
          render: line => paramNames((line.item as ThingService).input),
        },
        {
          key: 'output',
          title: t('output'),
          minWidth: 128,
          render: line => paramNames((line.item as ThingService).output),
        },
        mark,
      ]
    return [
      name,
      {
        key: 'type',
        title: t('dataType'),
        minWidth: 176,
        render: line => {
          const words = describeType((line.item as Property).dataType)
          return (
            <code title={words} style={{ fontSize: 12 }}>
              {words}
            </code>
          )
        },
      },
      { key: 'unit', title: t('unit'), width: 72, rank: 2, render: line => (line.item as Property).unit ?? '–' },
      {
        key: 'access',
        title: t('access'),
        width: english ? 116 : 84,
        render: line => t(`accessWords.${(line.item as Property).access}`),
      },
      {
        key: 'rules',
        title: t('rules'),
        width: 168,
        rank: 1,
        render: line => <Rules property={line.item as Property} />,
      },
      mark,
    ]
  }, [t, list, marks, english])
  const actions = useMemo(
    () =>
      editable
        ? ({ index }: Line): RowAction[] => [
            { key: 'edit', label: t('edit'), onClick: () => onEdit(index) },
            { key: 'duplicate', label: t('duplicate'), onClick: () => onDuplicate(index) },
            { key: 'up', label: t('up'), disabled: index === 0, onClick: () => onMove(index, -1) },
            { key: 'down', label: t('down'), disabled: index === all - 1, onClick: () => onMove(index, 1) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => onRemove(index) },
          ]
        : undefined,
    [editable, t, onEdit, onRemove, onDuplicate, onMove, all],
  )
  return (
    <>
      {(all > SEARCHED_FROM || tools) && (
        <div className={css.featureBar}>
          {all > SEARCHED_FROM && (
            <SearchField
              className={css.featureSearch}
              value={needle}
              onChange={setNeedle}
              label={t('searchFeatures', { count: all })}
            />
          )}
          <span className={css.addBar}>{tools}</span>
        </div>
      )}
      {rows.length === 0 ? (
        <EmptyState title={t('searchFeaturesNone')} />
      ) : (
        <DataTable
          label={t(`lists.${list}`)}
          columns={columns}
          rows={rows}
          rowKey={keyOf}
          actions={actions}
          actionsWidth={english ? 196 : 168}
          {...(selected ? { selection: selected } : {})}
        />
      )}
    </>
  )
}

/** More parts than this are looked for by name. */
const SEARCHED_FROM = 20

const keyOf = (line: Line) => `${line.index}/${line.item.identifier}`

/** What is done with the property's values, in a few words. */
function Rules({ property }: { property: Property }) {
  const { t } = useTranslation('products')
  const { history, store, mapping, outOfRange, late } = property
  const words = [
    history === false ? t('historyOff') : store ? storeWords(store, t) : '',
    mapping ? t('ruleMapping') : '',
    outOfRange ? t(`outOfRangeWords.${outOfRange}`) : '',
    late ? t('ruleLate', { what: t(`lateWords.${late}`) }) : '',
  ].filter(Boolean)
  if (words.length === 0) return '–'
  const text = words.join(t('listSeparator'))
  return <span title={text}>{text}</span>
}

function storeWords(store: StorePolicy, t: TFunction<'products'>): string {
  const amount = store.mode === 'interval' ? `${store.seconds} s` : store.percent ? `${store.band} %` : store.band
  return t(`store.${store.mode}Short`, { amount })
}

function Level({ level }: { level: ThingEvent['level'] }) {
  const { t } = useTranslation('products')
  const kind = level === 'error' ? 'error' : level === 'warning' ? 'warning' : 'processing'
  return <StatusTag kind={kind}>{t(`levels.${level}`)}</StatusTag>
}

function paramNames(params: readonly { identifier: string }[]) {
  const words = params.map(param => param.identifier).join(', ')
  return words === '' ? '–' : <span title={words}>{words}</span>
}
