"""What pytest loads while a fault is planted; this folder alone is put on the path of its processes."""
