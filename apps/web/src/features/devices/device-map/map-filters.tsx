import { ALARM_FILTERS, LINK_FILTERS } from '@thingwright/contracts/devices.words'
import type { Property } from '@thingwright/thing-model/model'
import { Select } from 'antd'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import type { Province } from '../../../ui/map/outlines.ts'
import type { Place } from '../../../ui/map/projection.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { SearchField } from '../../../ui/search-field.tsx'
import { GroupsSelect, ManySelect } from '../../../ui/thing-pickers.tsx'
import { useUserFilter } from '../../../ui/user-filter.ts'
import css from './device-map.module.css'
import { PlaceSelect } from './place-select.tsx'
import { PROPERTY } from './use-heat.ts'

/** Above the map: where to go, which devices it shows, and what it is coloured by. Not rendered again while the map moves. */
export const MapFilters = memo(function MapFilters({
  filters,
  set,
  coloured,
  measured,
  mayValues,
  onProvince,
  onPlace,
}: {
  /** What is in the address of the page. */
  filters: Readonly<Record<string, string>>
  set: (key: string, value: string | null | undefined) => void
  /** What the heat layer shows; empty: it is off. */
  coloured: string
  /** Properties of the chosen product that the heat layer can show. */
  measured: readonly Property[]
  mayValues: boolean
  onProvince: (province: Province) => void
  onPlace: (place: Place) => void
}) {
  const { t } = useTranslation('device-map')
  const english = locale() === 'en'
  const owners = useUserFilter(true)
  return (
    <div className={css.filters}>
      <PlaceSelect onProvince={onProvince} onPlace={onPlace} />
      <SearchField value={filters.q ?? ''} label={t('search')} onChange={value => set('q', value)} />
      <div className={css.choice}>
        <label htmlFor="map-product" className={css.hidden}>
          {t('product')}
        </label>
        <ManySelect
          kind="product"
          id="map-product"
          value={filters.productId ? [filters.productId] : []}
          onChange={ids => set('productId', ids.at(-1))}
          disabled={false}
          placeholder={t('product')}
        />
      </div>
      <div className={css.choice}>
        <label htmlFor="map-group" className={css.hidden}>
          {t('group')}
        </label>
        <GroupsSelect
          id="map-group"
          value={filters.groupId ? [filters.groupId] : []}
          onChange={(ids: string[]) => set('groupId', ids.at(-1))}
          disabled={false}
          placeholder={t('group')}
        />
      </div>
      {owners.map(owner => (
        <Select
          key={owner.key}
          allowClear
          className={css.choice}
          aria-label={t('user')}
          placeholder={t('user')}
          value={filters.userId ?? null}
          options={[...(owner.options ?? [])]}
          loading={owner.loading ?? false}
          showSearch={{ filterOption: false, onSearch: owner.onSearch ?? (() => undefined) }}
          onChange={value => set('userId', value)}
        />
      ))}
      <Select
        allowClear
        className={css.choice}
        aria-label={t('link')}
        placeholder={t('link')}
        value={filters.link ?? null}
        options={LINK_FILTERS.map(value => ({ value, label: t(`links.${value}`) }))}
        onChange={value => set('link', value)}
      />
      <Select
        allowClear
        className={css.choice}
        aria-label={t('alarm')}
        placeholder={t('alarm')}
        value={filters.alarmLevel ?? null}
        options={ALARM_FILTERS.map(value => ({
          value,
          label: value === 'any' ? t('anyAlarm') : t('level', { level: value }),
        }))}
        onChange={value => set('alarmLevel', value)}
      />
      <Select
        allowClear
        className={css.choice}
        aria-label={t('heat')}
        placeholder={t('heat')}
        value={coloured || null}
        options={[
          { value: 'count', label: t('heatCount') },
          { value: 'alarms', label: t('heatAlarms') },
          ...measured.map(property => ({
            value: `${PROPERTY}${property.identifier}`,
            label: t('heatValue', { name: nameOf(property, english) }),
          })),
          ...(mayValues && !filters.productId ? [{ value: PROPERTY, label: t('heatProduct'), disabled: true }] : []),
        ]}
        onChange={value => set('heat', value)}
      />
    </div>
  )
})
