import { lines } from '../arguments.ts'

// Packages.

export const packages = {
  // pages/packages/edit
  delete: 'Delete',
  // pages/packages/forms
  createPackage: 'Create package',
  nameLabel: 'Name',
  packageWasCreated: 'The package was created.',
  packageName: 'Package {name}',
  noAccountPackage: 'No account is on this package.',
  changesApplyAccountWithin:
    'Changes apply to {accounts, plural, one {# account} other {# accounts}} within moments.',
  save: 'Save',
  packageNameWasSaved: 'Package {name} was saved.',
  deletePackageName: 'Delete package {name}',
  cannotDeletedAccountNeed: lines(
    'It cannot be deleted: {accounts, plural, one {# account on it needs}',
    'other {# accounts on it need}} another first.',
  ),
  packageNameWasDeleted: 'Package {name} was deleted.',
  // pages/packages/list
  packages: 'Packages',
  accounts: 'Accounts',
  limitsAccountGets: 'The limits that an account gets.',
  noPackagesYet: 'No packages yet',
  packageSetsHowMuch: lines(
    'A package sets how much disk, memory and CPU an account gets, and how many websites it',
    'may have.',
  ),
  createAPackage: 'Create a package',
  package: 'Package',
  core: '{value, plural, one {# core} other {# cores}}',
} as const
