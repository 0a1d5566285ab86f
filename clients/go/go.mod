module github.com/headgate/headgate/clients/go

go 1.22
