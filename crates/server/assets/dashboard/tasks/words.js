// What a task did or will do, in a few words, from its kind and details.

import { count, plural, wordsOf } from '../core/format.js';

const documents = (number) => plural(number ?? 0, 'document');

const SUMMARIES = {
  documentAdditionOrUpdate: (d) =>
    d.indexedDocuments === null || d.indexedDocuments === undefined
      ? `${documents(d.receivedDocuments)} received`
      : `${count(d.indexedDocuments)} of ${documents(d.receivedDocuments)} indexed`,
  documentEdition: (d) =>
    d.editedDocuments === null || d.editedDocuments === undefined
      ? ''
      : `${documents(d.editedDocuments)} edited`,
  documentDeletion: (d) =>
    d.deletedDocuments === null || d.deletedDocuments === undefined
      ? ''
      : `${documents(d.deletedDocuments)} deleted`,
  settingsUpdate: (d) => Object.keys(d).join(', '),
  indexCreation: (d) => (d.primaryKey ? `primary key ${d.primaryKey}` : ''),
  indexDeletion: (d) =>
    d.deletedDocuments === null || d.deletedDocuments === undefined
      ? ''
      : `${documents(d.deletedDocuments)} deleted`,
  indexUpdate: (d) =>
    d.newIndexUid ? `${d.oldIndexUid} becomes ${d.newIndexUid}` : `primary key ${d.primaryKey}`,
  indexSwap: (d) => (d.swaps ?? []).map((swap) => swap.indexes.join(swap.rename ? ' → ' : ' ⇄ ')).join(', '),
  taskCancelation: (d) => `${count(d.canceledTasks ?? 0)} of ${plural(d.matchedTasks, 'task')} canceled`,
  taskDeletion: (d) => `${count(d.deletedTasks ?? 0)} of ${plural(d.matchedTasks, 'task')} deleted`,
  dumpCreation: (d) => d.dumpUid ?? '',
  indexCompaction: (d) => (d.postCompactionSize ? `${d.preCompactionSize} → ${d.postCompactionSize}` : ''),
  export: (d) => d.url ?? '',
};

export function summary(kind, details) {
  return details ? (SUMMARIES[kind]?.(details) ?? '') : '';
}

const TITLES = {
  documentAdditionOrUpdate: 'Add documents',
  documentDeletion: 'Delete documents',
  documentEdition: 'Edit documents',
  settingsUpdate: 'Update settings',
  indexCreation: 'Create index',
  indexDeletion: 'Delete index',
  indexUpdate: 'Update index',
  indexSwap: 'Swap indexes',
  indexCompaction: 'Compact index',
  taskCancelation: 'Cancel tasks',
  taskDeletion: 'Delete tasks',
  dumpCreation: 'Create dump',
  snapshotCreation: 'Create snapshot',
  export: 'Export',
};

export const title = (kind) => TITLES[kind] ?? wordsOf(kind);
