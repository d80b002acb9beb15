import { ALARM_FILTERS, LINK_FILTERS } from '@thingwright/contracts/devices.words'
import { LINKS_OFFERED, NODE_TYPES } from '@thingwright/contracts/products.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { useGroups } from '../../../ui/group-tree/use-groups.ts'
import type { ListFilter } from '../../../ui/list-page/list-types.ts'
import { useCategories } from '../../../ui/product-categories.ts'
import { useUserFilter } from '../../../ui/user-filter.ts'
import { useProductChoices } from '../hooks.ts'

/** Filters of the device list; in the recycle bin the states say nothing. */
export function useDeviceFilters(recycled: boolean): ListFilter[] {
  const { t } = useTranslation('devices')
  const { choices, setQ, loading } = useProductChoices()
  const groups = useGroups('device')
  const categories = useCategories()
  const levels = useAlarmLevels(!recycled)
  const owner = useUserFilter(true)
  return useMemo<ListFilter[]>(() => {
    const product: ListFilter = {
      key: 'productId',
      label: t('product'),
      options: choices,
      open: true,
      onSearch: setQ,
      loading,
      display: () => '…',
    }
    const tag: ListFilter = { key: 'tag', label: t('tag') }
    if (recycled) return [product, tag]
    return [
      product,
      {
        key: 'link',
        label: t('linkState'),
        options: LINK_FILTERS.map(value => ({ value, label: t(`link.${value}`) })),
      },
      {
        key: 'lifecycle',
        label: t('lifecycleState'),
        options: (['active', 'inactive', 'disabled'] as const).map(value => ({
          value,
          label: t(`lifecycle.${value}`),
        })),
      },
      {
        key: 'alarmLevel',
        label: t('alarm'),
        options: ALARM_FILTERS.map(value => ({
          value,
          label: levels.find(({ level }) => String(level) === value)?.name ?? t('anyAlarm'),
        })),
      },
      ...owner,
      tag,
      {
        key: 'category',
        label: t('category'),
        options: categories.map(value => ({ value, label: value })),
        open: true,
      },
      {
        key: 'linkType',
        label: t('linkType'),
        options: LINKS_OFFERED.map(value => ({ value, label: t(`linkTypes.${value}`) })),
      },
      {
        key: 'nodeType',
        label: t('nodeType'),
        options: NODE_TYPES.map(value => ({ value, label: t(`nodeTypes.${value}`) })),
      },
      { key: 'firmware', label: t('firmwareVersion') },
      {
        key: 'groupId',
        label: t('group'),
        chipOnly: true,
        display: id => groupPath(groups.data ?? [], id) || '…',
      },
    ]
  }, [t, choices, setQ, loading, groups.data, recycled, categories, levels, owner])
}
