import {
  describeType,
  type Property,
  type ThingEvent,
  type ThingModel,
  type ThingService,
} from '@thingwright/thing-model'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import type { Feature, FeatureList } from '../model/model-edit.ts'

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
}) {
  const { t } = useTranslation('products')
  const english = locale() === 'en'
  const rows = useMemo(() => (model[list] as Feature[]).map((item, index) => ({ item, index })), [model, list])
  const columns = useMemo<ListColumn<Line>[]>(() => {
    const name: ListColumn<Line> = {
      key: 'name',
      title: t('featureName'),
      minWidth: 200,
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
        { key: 'params', title: t('params'), width: 280, render: line => paramNames((line.item as ThingEvent).params) },
        mark,
      ]
    if (list === 'services')
      return [
        name,
        {
          key: 'call',
          title: t('callType'),
          width: 108,
          render: line => t((line.item as ThingService).async ? 'async' : 'sync'),
        },
        { key: 'input', title: t('input'), width: 200, render: line => paramNames((line.item as ThingService).input) },
        {
          key: 'output',
          title: t('output'),
          width: 160,
          render: line => paramNames((line.item as ThingService).output),
        },
        mark,
      ]
    return [
      name,
      {
        key: 'type',
        title: t('dataType'),
        width: 224,
        render: line => {
          const words = describeType((line.item as Property).dataType)
          return (
            <code title={words} style={{ fontSize: 12 }}>
              {words}
            </code>
          )
        },
      },
      { key: 'unit', title: t('unit'), width: 72, render: line => (line.item as Property).unit ?? '–' },
      {
        key: 'access',
        title: t('access'),
        width: 108,
        render: line => t(`accessWords.${(line.item as Property).access}`),
      },
      {
        key: 'history',
        title: t('history'),
        width: 84,
        render: line => t((line.item as Property).history === false ? 'historyOff' : 'historyOn'),
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
            { key: 'down', label: t('down'), disabled: index === rows.length - 1, onClick: () => onMove(index, 1) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => onRemove(index) },
          ]
        : undefined,
    [editable, t, onEdit, onRemove, onDuplicate, onMove, rows.length],
  )
  return (
    <DataTable
      label={t(`lists.${list}`)}
      columns={columns}
      rows={rows}
      rowKey={line => `${line.index}/${line.item.identifier}`}
      actions={actions}
      actionsWidth={english ? 196 : 168}
    />
  )
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
