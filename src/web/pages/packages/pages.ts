import type { Page } from '../../page.ts'
import { deletePackage, editPackage, newPackage } from './forms.ts'
import { packageList } from './list.ts'

/** The packages that accounts have. */
export const packagePages: Page[] = [packageList, newPackage, editPackage, deletePackage]
