"""Audits: the mistakes of a run compared with every bound, and the assumptions of each bound."""

from thresher.theory.audit.arrays import audit
from thresher.theory.audit.files import audit_files
from thresher.theory.audit.result import Audit, Counts, Favour, Least, Row

__all__ = ["Audit", "Counts", "Favour", "Least", "Row", "audit", "audit_files"]
