"""What happened when: around a day, and to a subject over time."""

from bridge.api.feature import Feature
from bridge.features.timeline import around, course, views

FEATURE = Feature(
    "timeline",
    operations=(around.around_date, course.entity_course),
    views={around.AroundDate: views.around_date_view, course.EntityCourse: views.entity_course_view},
)
