# Runs a program that sees nothing of this machine but what an office needs to work, and one folder to write in.
#
#   sh enter-sandbox.sh ROOT FOLDER OFFICE PROGRAM [ARGUMENT...]
#
# ROOT is an empty folder for the new root, FOLDER becomes /slot (and FOLDER/tmp /tmp), OFFICE is where the office is
# installed. Runs in namespaces of its own (mounts, processes), so nothing here is to be undone.
set -eu
root=$1 folder=$2 office=$3
shift 3

show() {
  if [ -L "$1" ]; then
    ln -s "$(readlink "$1")" "$root$1"
  elif [ -d "$1" ] && [ ! -e "$root$1" ]; then
    mkdir -p "$root$1"
    mount --rbind "$1" "$root$1"
    mount -o remount,ro,bind "$root$1"
  fi
}

mount --make-rprivate /
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root"
for path in /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/fonts /etc/libreoffice /var/cache/fontconfig "$office"; do
  show "$path"
done
mkdir "$root/proc" "$root/dev" "$root/tmp" "$root/slot" "$root/old"
mount -t proc proc "$root/proc"
for device in null zero random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$folder" "$root/slot"
mount --bind "$folder/tmp" "$root/tmp"
cd "$root"
pivot_root . old
umount -l /old
rmdir /old
mount -o remount,ro,bind /
cd /slot
exec "$@"
