import { PlusOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { DeviceModelView } from '@thingwright/contracts/thing-models.contract'
import { describeType, type ModelOverlay, type Property } from '@thingwright/thing-model'
import { Button, Modal, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { useDeviceModel } from '../hooks.ts'
import { changeFields, changeValues, ownFields, readChange, withChange, withoutOwn } from './overlay-fields.ts'

interface Line {
  property: Property
  state: 'product' | 'changed' | 'own'
}

/** The thing model in force for this device: its product's, with what is its own marked, changed and reset here. */
export function ModelTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const cache = useCache()
  const editable = useMay('thingModels.setDeviceModel')
  const { data, error, refetch } = useDeviceModel(device)
  const [editing, setEditing] = useState<Property | 'new' | null>(null)
  const [asking, setAsking] = useState(false)
  const taken = (next: DeviceModelView) => {
    cache.put('thingModels.deviceModel', { params: { id: device.id } }, next)
    notify.success(t('deviceModel.saved', { count: next.localChanges }))
  }
  const set = useAct('thingModels.setDeviceModel', { done: taken })
  const reset = useAct('thingModels.resetDeviceModel', {
    done: reply => {
      taken(reply)
      setAsking(false)
    },
  })
  const overlay = useMemo(() => (data?.overlay ?? {}) as ModelOverlay, [data])
  const lines = useMemo<Line[]>(() => {
    const own = new Set((overlay.added ?? []).map(property => property.identifier))
    const properties = (data?.model.properties ?? []) as Property[]
    return properties.map(property => ({
      property,
      state: own.has(property.identifier)
        ? 'own'
        : Object.hasOwn(overlay.changed ?? {}, property.identifier)
          ? 'changed'
          : 'product',
    }))
  }, [data, overlay])
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active />

  const saved = ({ changed, added }: ModelOverlay) => ({
    params: { id: device.id },
    body: {
      version: data.version,
      changed: (changed ?? {}) as Record<string, Record<string, unknown>>,
      added: (added ?? []) as unknown as Record<string, unknown>[],
    },
  })
  const columns: ListColumn<Line>[] = [
    {
      key: 'name',
      title: t('deviceModel.name'),
      minWidth: 160,
      render: ({ property }) => <NameCell name={nameOf(property, english)} id={property.identifier} />,
    },
    {
      key: 'type',
      title: t('deviceModel.type'),
      width: 168,
      render: ({ property }) => <code style={{ fontSize: 12 }}>{describeType(property.dataType)}</code>,
    },
    { key: 'unit', title: t('deviceModel.unit'), width: 64, render: ({ property }) => property.unit ?? '–' },
    {
      key: 'state',
      title: t('deviceModel.from'),
      width: 184,
      render: ({ property, state }) =>
        state === 'product' ? (
          t('deviceModel.fromProduct')
        ) : (
          <StatusTag kind="warning">
            {state === 'own'
              ? t('deviceModel.own')
              : t('deviceModel.changed', {
                  list: Object.keys(overlay.changed?.[property.identifier] ?? {})
                    .map(field => t(`deviceModel.${field}`, { defaultValue: field }))
                    .join(', '),
                })}
          </StatusTag>
        ),
    },
  ]
  const actions = ({ property, state }: Line): RowAction[] => [
    ...(state === 'own' ? [] : [{ key: 'edit', label: t('deviceModel.edit'), onClick: () => setEditing(property) }]),
    ...(state === 'product'
      ? []
      : [
          {
            key: 'reset',
            label: state === 'own' ? t('deviceModel.remove') : t('deviceModel.resetOne'),
            danger: state === 'own',
            onClick: () =>
              void set.run(
                saved(
                  state === 'own'
                    ? withoutOwn(overlay, property.identifier)
                    : withChange(overlay, property.identifier, null),
                ),
              ),
          },
        ]),
  ]
  return (
    <Panel
      title={t('deviceModel.title')}
      hint={t('deviceModel.hint', { version: data.modelVersion, count: data.localChanges })}
      flush
      actions={
        editable && (
          <>
            <Button disabled={data.localChanges === 0} onClick={() => setAsking(true)}>
              {t('deviceModel.reset')}
            </Button>
            <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing('new')}>
              {t('deviceModel.add')}
            </Button>
          </>
        )
      }
    >
      {lines.length === 0 ? (
        <EmptyState title={t('noProperties')} description={t('deviceModel.emptyText')} />
      ) : (
        <DataTable
          label={t('deviceModel.title')}
          columns={columns}
          rows={lines}
          rowKey={line => line.property.identifier}
          actions={editable ? actions : undefined}
        />
      )}
      {editing === 'new' && (
        <FormDrawer
          title={t('deviceModel.add')}
          fields={ownFields(
            t,
            lines.map(line => line.property.identifier),
          )}
          initial={{ type: 'double', access: 'r' }}
          submitText={t('deviceModel.add')}
          onSubmit={async ({ type, ...values }) => {
            const added = { ...values, dataType: { type } } as unknown as Property
            await set.send(saved({ ...overlay, added: [...(overlay.added ?? []), added] }))
            setEditing(null)
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {editing !== null && editing !== 'new' && (
        <FormDrawer
          title={t('deviceModel.editTitle', { name: nameOf(editing, english) })}
          intro={<p style={{ margin: '0 0 16px' }}>{t('deviceModel.editIntro')}</p>}
          fields={changeFields(t, editing)}
          initial={changeValues(editing)}
          submitText={t('deviceModel.save')}
          onSubmit={async values => {
            const before = overlay.changed?.[editing.identifier] ?? {}
            const asked = changeValues(editing)
            // Only what the person touched is the device's own; the rest goes on following the product.
            const touched = Object.fromEntries(
              Object.entries(readChange({ ...asked, ...values })).filter(
                ([key, value]) =>
                  JSON.stringify(value ?? null) !== JSON.stringify(readChange(asked)[key as 'name'] ?? null),
              ),
            )
            await set.send(saved(withChange(overlay, editing.identifier, { ...before, ...touched })))
            setEditing(null)
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {asking && (
        <Modal
          open
          title={t('deviceModel.resetTitle', { count: data.localChanges })}
          okText={t('deviceModel.reset')}
          okButtonProps={{ danger: true }}
          cancelText={t('cancel')}
          onCancel={() => setAsking(false)}
          onOk={() => void reset.run({ params: { id: device.id } })}
        >
          {t('deviceModel.resetText')}
        </Modal>
      )}
    </Panel>
  )
}
