module headgate.io/client

go 1.22
